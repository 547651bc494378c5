# plot.awk: wafer.csv as bars, a panel for each network model and size; a line where no time below is
# possible: every NPU sends 2 (n - 1) / n of the bytes at its full bandwidth.
BEGIN { FS = "," }
NR == 1 { next }
{
    if (!($1 in system_of)) { system_of[$1] = systems; name[systems++] = $1 }
    key = $2 "," $3
    if (!(key in panel_of)) { panel_of[key] = panels; panel[panels++] = key }
    base[$1, key] = $5 / 1e6; themis[$1, key] = $6 / 1e6
    for (i = 5; i <= 6; i++) if ($i / 1e6 > largest[$3]) largest[$3] = $i / 1e6
    ideal[$1, key] = 2 * 511 / 512 * number($3) / ($4 * 1e9) * 1e3
}
function number(text,  n, unit) {
    n = text + 0; unit = text; gsub(/[0-9.]/, "", unit)
    return n * (unit == "GB" ? 1e9 : unit == "MB" ? 1e6 : unit == "kB" ? 1e3 : unit == "GiB" ? 1024 ^ 3 : unit == "MiB" ? 1024 ^ 2 : 1)
}
function text(x, y, anchor, fill, size, what) {
    printf "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\" fill=\"%s\" font-size=\"%d\">%s</text>\n", x, y, anchor, fill, size, what
}
function bar(x, y0, ms, fill,  h) {
    h = ms / most * high
    printf "<rect x=\"%.1f\" y=\"%.1f\" width=\"%d\" height=\"%.1f\" fill=\"%s\"/>\n", x, y0 - h, wide, h, fill
    text(x + wide / 2, y0 - h - 4, "middle", "#334", 10, ms >= 1 ? sprintf("%.2f", ms) : sprintf("%.3f", ms))
}
END {
    wide = 40; high = 110; step = 2 * wide + 44; left = 96; tall = high + 58
    width = left + systems * step + 20; height = 74 + panels * tall + 14
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"Helvetica, Arial, sans-serif\">\n", width, height, width, height
    print "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>"
    text(20, 30, "start", "#223", 17, "All-reduce on 512 NPUs, ms")
    print "<rect x=\"20\" y=\"46\" width=\"12\" height=\"12\" fill=\"#4c78a8\"/>"; text(38, 56, "start", "#334", 12, "baseline, FIFO")
    print "<rect x=\"150\" y=\"46\" width=\"12\" height=\"12\" fill=\"#f2a93b\"/>"; text(168, 56, "start", "#334", 12, "Themis, smallest chunk first")
    print "<line x1=\"350\" x2=\"374\" y1=\"52\" y2=\"52\" stroke=\"#d1615d\" stroke-width=\"2\"/>"; text(380, 56, "start", "#334", 12, "all bandwidth used all the time")
    for (p = 0; p < panels; p++) {
        y0 = 74 + p * tall + high + 22
        split(panel[p], part, ",")
        most = largest[part[2]]
        text(20, y0 - high / 2, "start", "#223", 14, part[1])
        text(20, y0 - high / 2 + 17, "start", "#556", 12, part[2])
        printf "<line x1=\"%d\" x2=\"%d\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#99a\"/>\n", left - 10, width - 16, y0, y0
        for (s = 0; s < systems; s++) {
            x = left + s * step
            bar(x, y0, base[name[s], panel[p]], "#4c78a8")
            bar(x + wide + 4, y0, themis[name[s], panel[p]], "#f2a93b")
            y = y0 - ideal[name[s], panel[p]] / most * high
            printf "<line x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\" stroke=\"#d1615d\" stroke-width=\"2\"/>\n", x - 5, x + 2 * wide + 9, y, y
            text(x + wide + 2, y0 + 17, "middle", "#334", 12, name[s])
        }
    }
    print "</svg>"
}
