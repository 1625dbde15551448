# SPDX-License-Identifier: GPL-2.0
# What can be measured here, without and with the module.
refused "module absent" 'insmod|not loaded' mprobectl lat dram0 --sizes 16K --time 100ms
runs "list without the module" mprobectl list --json list.json
runs "info without the module" mprobectl info --json info.json
json "info: no module is null" info.json '.module == null'
nd_load
load $ALLOW
runs "list as a table" mprobectl list
check "list: the table names both nodes" grep -q dram1 /tmp/out
runs "list as JSON" mprobectl list --json list.json
json "list: two nodes of DRAM with sizes" list.json \
	'[.targets[] | select(.kind == "dram" and .size_bytes > 1000000000)] | length == 2'
json "list: the NVDIMM, its range, node, size, ways; nobody holds it" list.json \
	"[.targets[] | select(.physical_ranges[0].base == $((NVDIMM)) and .size_bytes == 1073741824 and .node == 1
	  and .holder == null)] | length >= 1"
json "list: the legacy range" list.json "[.targets[] | select(.physical_ranges[0].base == $((LEGACY)))] | length >= 1"
pmem_load
runs "list with nd_pmem bound" mprobectl list --json list.json
json "list: nd_pmem holds the NVDIMM and the command that frees it is there" list.json \
	"[.targets[] | select(.physical_ranges[0].base == $((NVDIMM)) and .holder != null and (.free_command | length) > 5)]
	 | length >= 1"
free=$(jq -r "[.targets[] | select(.physical_ranges[0].base == $((NVDIMM)) and .holder != null)][0].free_command" list.json)
echo "# list says: $free"
modprobe -r nd_pmem
runs "info with the module" mprobectl info --json info.json
json "info: module version, protocol, caps" info.json '.module.version != null and .module.protocol == 1'
unload
