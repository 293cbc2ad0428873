# SPDX-License-Identifier: Apache-2.0
#
# default_tables.hpp: the shipped table set as a constant, from its JSON file.

function(generate_default_tables json_file header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${json_file})
  file(READ ${json_file} json)
  string(JSON name GET ${json} name)
  string(JSON identity GET ${json} identity)
  string(REGEX REPLACE "(..)" "0x\\1, " identity ${identity})
  string(JSON table_count LENGTH ${json} tables)
  math(EXPR last_table "${table_count} - 1")
  set(rows "")
  foreach(table RANGE ${last_table})
    string(JSON lengths GET ${json} tables ${table})
    string(REGEX REPLACE "[][ \n]" "" lengths ${lengths})
    string(REPLACE "," ", " lengths ${lengths})
    string(APPEND rows "    Lengths{${lengths}},\n")
  endforeach()
  configure_file(${CMAKE_CURRENT_FUNCTION_LIST_DIR}/default_tables.hpp.in ${header} @ONLY)
endfunction()
