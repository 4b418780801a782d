# shellcheck shell=bash
# SPDX-License-Identifier: GPL-2.0-only
#
# bash completion of vnpu-smi

_vnpu_smi_ids()
{
	vnpu-smi info -l 2>/dev/null | sed -n 's/^\tNPU ID *: //p'
}

_vnpu_smi()
{
	local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}
	local words

	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words="info -h --help -v --version"
	elif [ "${COMP_WORDS[1]}" != info ]; then
		return
	else
		case $prev in
		-t|--type)	words="memory usages proc-mem" ;;
		-i|--id)	words=$(_vnpu_smi_ids) ;;
		-c|--chip)	words=0 ;;
		*)		words="-l --list -m --mapping -t --type -i --id
					-c --chip -j --json -h --help" ;;
		esac
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")
}

complete -F _vnpu_smi vnpu-smi
