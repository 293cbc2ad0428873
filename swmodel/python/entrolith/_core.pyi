# SPDX-License-Identifier: Apache-2.0
FORMAT_VERSION: int
