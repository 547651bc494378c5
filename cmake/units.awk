# awk -v most=LINES -f cmake/units.awk ROOM/FILE.c... ROOM/FILE.h..., in src/
# Puts files that may be compiled as one into units of so many lines, in their order. Of each unit of at least two it prints
# "unit", and a line "FILE MACRO..." for each file, with the macros that the file defines. No two files of a unit, nor one
# and a header of another, define the same name: functions, tables, tags, constants, which the style of src/ has at the start
# of a line. Files with conditions are alone, and those with a name of the system's own.
BEGIN {
    split("accept bind connect index link listen log pipe raise read remove rename round send signal time write", system_name)
    for (i in system_name)
        is_system[system_name[i]] = 1
}
function define(name) {
    if (name in is_system)
        alone[file] = 1
    if (name ~ /^[A-Za-z_][A-Za-z0-9_]*$/ && name !~ /^(nadi|NADI)_/ && !((file, name) in has)) {
        has[file, name] = 1
        names[file] = names[file] " " name
    }
}
# The names in "static const struct x *a = 1, b[2];", "static int f(", "typedef int (*f)(".
function define_static(text,    name, part, n, i) {
    sub(/\{.*/, "", text)
    gsub(/"([^"\\]|\\.)*"/, "", text)
    if (match(text, /\(\*(const )?[a-z_0-9]+/)) {
        name = substr(text, RSTART, RLENGTH)
        sub(/\(\*(const )?/, "", name)
        define(name)
        return
    }
    if (text ~ /^[^=]*\(/) {
        sub(/\(.*/, "", text)
        sub(/.*[ *]/, "", text)
        define(text)
        return
    }
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/ *(=|;).*/, "", part[i])
        gsub(/\[[^]]*\]?/, "", part[i])
        sub(/.*[ *]/, "", part[i])
        define(part[i])
    }
}
function define_constants(text,    part, n, i) {
    gsub(/\/\*[^*]*(\*\/)?/, "", text)
    n = split(text, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/=.*/, "", part[i])
        gsub(/[ };]/, "", part[i])
        define(part[i])
    }
}
FNR == 1 {
    file = FILENAME
    files[++count] = file
    in_enum = in_static = in_macro = 0
}
{ lines[file]++ }
in_macro { # a header's, by which files define functions of their own
    if (/^ +static .*\(/) {
        text = $0
        sub(/\(.*/, "", text)
        sub(/.*[ *]/, "", text)
        made[file] = made[file] " " text
    }
    in_macro = /\\$/
    next
}
in_static { # a declaration that goes on
    whole = whole " " $0
    if ($0 ~ /[({;=]/) {
        in_static = 0
        define_static(whole)
    }
    next
}
in_enum {
    if (/^}/)
        in_enum = 0
    else
        define_constants($0)
    next
}
/^#define / {
    split($2, macro, "(")
    macros[file] = macros[file] " " macro[1]
    in_macro = /\\$/
    if (includes[file] == "")
        alone[file] = 1 # it is for the headers
    next
}
/^#include "/ {
    header = substr($2, 2, length($2) - 2)
    includes[file] = includes[file] " " header
    next
}
/^#include / { includes[file] = includes[file] " "; next }
/^#(if|ifdef|ifndef|undef|pragma)/ { if (file !~ /\.h$/) alone[file] = 1; next }
/^enum.*\{/ {
    text = $0
    if ($2 ~ /^[a-z]/)
        define($2)
    sub(/^[^{]*\{/, "", text)
    define_constants(text)
    in_enum = text !~ /\}/
    next
}
/^ *(struct|union) [a-z_0-9]+ \{/ { define($2); next }
/^\} \*?[a-z_0-9]+(\[|;| =)/ { # of a struct without a name
    text = $2
    gsub(/[^a-z_0-9].*|\*/, "", text)
    define(text)
    next
}
/^typedef / {
    text = $0
    sub(/;.*/, "", text)
    define_static(text)
    next
}
/^static / {
    if ($0 ~ /[({;=]/)
        define_static($0)
    else {
        whole = $0
        in_static = 1
    }
    next
}
/^[A-Z_]+\(/ { text = $0; sub(/^[A-Z_]+\(/, "", text); sub(/[^A-Za-z_0-9].*/, "", text); define(text) }
# Adds what `source` and the headers that it reads define to the names that `file` brings.
function bring(file, source,    name, header, n, i) {
    n = split(names[source], name, " ")
    for (i = 1; i <= n; i++) {
        brought[file, ++brings[file]] = name[i]
        from[file, brings[file]] = source
    }
    n = split(made[source], name, " ")
    for (i = 1; i <= n; i++) {
        brought[file, ++brings[file]] = name[i]
        from[file, brings[file]] = file
    }
    n = split(includes[source], header, " ")
    for (i = 1; i <= n; i++)
        if (!((file, header[i]) in reads)) {
            reads[file, header[i]] = 1
            bring(file, header[i])
        }
}
# May the file be in the unit, beside what is there?
function fits(u, file,    i) {
    for (i = 1; i <= brings[file]; i++)
        if (((u, brought[file, i]) in owner) && owner[u, brought[file, i]] != from[file, i])
            return 0
    return size[u] + lines[file] <= most
}
END {
    for (i = 1; i <= count; i++) {
        file = files[i]
        if (file ~ /\.h$/ || file in alone)
            continue
        bring(file, file)
        for (u = 1; u <= units && !fits(u, file); u++)
            ;
        if (u > units)
            units = u
        unit[u] = unit[u] file macros[file] "\n"
        many[u] += size[u] > 0
        size[u] += lines[file]
        for (k = 1; k <= brings[file]; k++)
            owner[u, brought[file, k]] = from[file, k]
    }
    for (u = 1; u <= units; u++)
        if (many[u])
            printf "unit\n%s", unit[u]
}
