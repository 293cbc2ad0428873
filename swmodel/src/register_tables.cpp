// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "default_tables.hpp"
#include "entrolith/tables.hpp"
#include "register.hpp"

namespace py = pybind11;

namespace entrolith {
namespace {

TableSet make_table_set(const py::bytes& lengths, const py::bytes& identity) {
    const std::string_view flat{lengths};
    const std::string_view name{identity};
    Identity id{};
    if (flat.size() % kSymbols != 0 || name.size() != id.size()) {
        throw std::invalid_argument{"a table is 16 bytes, an identity 8"};
    }
    std::ranges::transform(name, id.begin(), [](char c) { return static_cast<std::uint8_t>(c); });
    std::vector<Lengths> tables(flat.size() / kSymbols);
    for (std::size_t i = 0; i < flat.size(); ++i) {
        tables[i / kSymbols][i % kSymbols] = static_cast<std::uint8_t>(flat[i]);
    }
    return TableSet{tables, id};
}

py::bytes default_lengths() {
    std::string flat;
    for (const Lengths& table : kDefaultTables) flat.append(table.begin(), table.end());
    return py::bytes{flat};
}

}  // namespace

void register_tables(py::module_& m) {
    m.attr("DEFAULT_TABLES_NAME") = kDefaultTablesName;
    m.attr("DEFAULT_TABLES") = default_lengths();
    py::class_<TableSet>(m, "TableSet")
        .def(py::init(&make_table_set), py::arg("lengths"), py::arg("identity"));
}

}  // namespace entrolith
