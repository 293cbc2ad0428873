// SPDX-License-Identifier: Apache-2.0
//
// PROGRAM [--seconds N] [--seed S] [--finding FILE] INPUT...: a target without a fuzzing engine.
//
// Runs the target on every input, a file or a folder of them; then, until the time is over, on
// inputs with a few bytes changed. An input that breaks a promise is written to FILE.

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace {

using Input = std::vector<std::uint8_t>;
using Random = std::mt19937_64;

const Input* running = nullptr;
std::string finding;

extern "C" void keep_finding(int) {  // the process is lost, and this is all it has to say
    if (running != nullptr && !finding.empty()) {
        std::ofstream file{finding, std::ios::binary};
        file.write(reinterpret_cast<const char*>(running->data()),
                   static_cast<std::streamsize>(running->size()));
        std::fprintf(stderr, "the input is in %s\n", finding.c_str());
    }
    std::_Exit(1);
}

void run(const Input& input) {
    running = &input;
    LLVMFuzzerTestOneInput(input.data(), input.size());
    running = nullptr;
}

std::vector<Input> read_inputs(const std::vector<std::string>& paths) {
    std::vector<std::filesystem::path> files;
    for (const std::string& path : paths) {
        if (!std::filesystem::is_directory(path)) {
            files.emplace_back(path);
            continue;
        }
        for (const auto& entry : std::filesystem::directory_iterator{path}) {
            files.push_back(entry.path());
        }
    }
    std::ranges::sort(files);  // the same order everywhere
    std::vector<Input> inputs;
    for (const auto& file : files) {
        std::ifstream in{file, std::ios::binary};
        if (!in) throw std::runtime_error{"cannot read " + file.string()};
        inputs.emplace_back(std::istreambuf_iterator<char>{in}, std::istreambuf_iterator<char>{});
    }
    return inputs;
}

std::size_t below(Random& random, std::size_t bound) { return random() % bound; }

Input changed(Random& random, Input input) {
    constexpr std::uint8_t kTelling[] = {0, 1, 2, 127, 128, 254, 255};
    for (std::size_t left = 1 + below(random, 4); left > 0; --left) {
        const std::size_t at = below(random, input.size() + 1);
        const auto here = input.begin() + static_cast<std::ptrdiff_t>(at);
        const std::size_t choice = below(random, 2 * std::size(kTelling));
        const std::uint8_t byte =
            choice < std::size(kTelling) ? kTelling[choice] : static_cast<std::uint8_t>(random());
        switch (below(random, 4)) {
            case 0:
                input.insert(here, byte);
                break;
            case 1:
                if (at < input.size()) input.erase(here);
                break;
            default:
                if (at < input.size()) *here = byte;
        }
    }
    return input;
}

struct Options {
    double seconds = 0;
    std::uint64_t seed = 1;
    std::vector<std::string> inputs;
};

Options read_options(int argc, char** argv) {
    Options options;
    for (int i = 1; i < argc; ++i) {
        const std::string argument = argv[i];
        const auto value = [&] {
            if (++i == argc) throw std::invalid_argument{argument + " needs a value"};
            return std::string{argv[i]};
        };
        if (argument == "--seconds") {
            options.seconds = std::stod(value());
        } else if (argument == "--seed") {
            options.seed = std::stoull(value());
        } else if (argument == "--finding") {
            finding = value();
        } else {
            options.inputs.push_back(argument);
        }
    }
    return options;
}

}  // namespace

int main(int argc, char** argv) {
    using Clock = std::chrono::steady_clock;
    std::signal(SIGABRT, keep_finding);
    try {
        const Options options = read_options(argc, argv);
        std::vector<Input> inputs = read_inputs(options.inputs);
        std::size_t runs = 0;
        for (const Input& input : inputs) run(input), ++runs;
        if (inputs.empty()) inputs.emplace_back();
        Random random{options.seed};
        const auto end = Clock::now() + std::chrono::duration<double>{options.seconds};
        for (; Clock::now() < end; ++runs) {
            run(changed(random, inputs[below(random, inputs.size())]));
        }
        std::printf("%zu runs\n", runs);
        return 0;
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
        if (running != nullptr) keep_finding(SIGABRT);
        return 2;
    }
}
