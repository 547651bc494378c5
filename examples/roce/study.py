#!/usr/bin/env python3
"""Does RoCE congestion control matter for distributed training? 128 GPUs, every scheme, every collective.

usage: study.py [NADI] [--bytes SIZE] [--schemes A,B,..] [--jobs N] [--out DIR]

Writes the networks, workloads and results to DIR (default: roce-study), prints a table (and DIR/results.json) and draws
DIR/roce.svg, end-to-end time of each scheme relative to PFC alone, and DIR/queues.svg, the longest queue over time during the
incast. docs/guide/roce.md says what is to be seen.
"""
import argparse, csv, json, math, os, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

SCHEMES = ['none', 'dcqcn', 'dctcp', 'timely', 'hpcc', 'hpcc-pint', 'swift', 'window', 'ndp', 'eqds']
RACKS, PER_RACK, SPINES, SERVER, NVSWITCHES = 8, 16, 8, 8, 6
GPUS = RACKS * PER_RACK
COLOURS = ['#4269d0', '#efb118', '#ff725c', '#6cc5b0', '#3ca951', '#ff8ab7', '#a463f2', '#97bbf5', '#9c6b4e', '#9498a0']


def save(path, text):
    with open(path, 'w') as f:
        f.write(text)


def topology(nvswitch):
    """8 racks of 16 GPUs at 200 Gb/s, 64 uplinks of 200 Gb/s (2:1); in the second variant servers of 8 GPUs with 6 NVSwitches."""
    servers = GPUS // SERVER if nvswitch else 0
    rack = GPUS
    spine = rack + RACKS
    nv = spine + SPINES
    links = [(g, rack + g // PER_RACK, '200Gbps 5us') for g in range(GPUS)]
    links += [(rack + r, spine + s, '200Gbps 12.5us') for r in range(RACKS) for s in range(SPINES)]
    for s in range(servers):
        links += [(s * SERVER + g, nv + s * NVSWITCHES + k, '2400Gbps 25ns') for g in range(SERVER) for k in range(NVSWITCHES)]
    nodes = nv + servers * NVSWITCHES
    out = [f'{nodes} {nodes - GPUS} {len(links)}', ' '.join(str(n) for n in range(GPUS, nodes))]
    return '\n'.join(out + [f'{a} {b} {how} 0' for a, b, how in links]) + '\n'


def system(algorithms, chunks):
    every = {f'{kind}-implementation': algorithms for kind in ('all-reduce', 'all-gather', 'reduce-scatter')}
    every['all-to-all-implementation'] = ['direct'] * len(algorithms)
    return json.dumps({'scheduling-policy': 'LIFO', 'endpoint-delay': 10, 'active-chunks-per-dimension': 1,
                       'preferred-dataset-splits': chunks, 'collective-optimization': 'baseline', **every})


def network(dims, variant, scheme):
    return (f'topology: [{", ".join(["Switch"] * len(dims))}]\nnpus_count: {dims}\nbandwidth: {[25] * len(dims)}\n'
            f'latency: {[1000] * len(dims)}\ngraph: {variant}.txt\npacket: {scheme}.yml\n')


def transformer(size):
    """Data parallel, 8 layers: gradients are reduced while the backward pass goes on. Times in ns."""
    rows = [f'layer{i} -1 200000 NONE 0 200000 NONE 0 200000 ALLREDUCE {size // 4} 1' for i in range(8)]
    return '\n'.join(['DATA', str(len(rows))] + rows) + '\n'


def dlrm(size):
    """Embeddings exchanged all to all while the bottom layers compute, multilayer perceptrons reduced. Times in ns."""
    rows = [f'embedding -1 30000 ALLTOALL {size} 30000 ALLTOALL {size} 30000 NONE 0 1']
    rows += [f'bottom{i} -1 20000 NONE 0 20000 NONE 0 20000 ALLREDUCE {size // 8} 1' for i in range(3)]
    rows += [f'top{i} -1 40000 NONE 0 40000 NONE 0 40000 ALLREDUCE {size // 8} 1' for i in range(4)]
    return '\n'.join(['HYBRID_DLRM 3', str(len(rows))] + rows) + '\n'


def incast(size):
    """Flows of 16 MB where collectives have 16 MiB: two GPUs of each other rack to GPU 0, and two more of each to GPUs elsewhere, the bystanders."""
    senders = range(PER_RACK, GPUS, 8)
    rows = [(g, 0) for g in senders] + [(g + 4, (g + 4 + 2 * PER_RACK) % (GPUS - PER_RACK) + PER_RACK) for g in senders]
    return [f'{a} {b} 3 100 {16000000 * size // (16 << 20)} 0' for a, b in rows if a // PER_RACK != b // PER_RACK]


# name, dimensions (flat, or rack or server first), algorithms, chunks, kind or text workload
def workloads(variant, size):
    inner = SERVER if variant == 'nvswitch' else PER_RACK
    tiers = [inner, GPUS // inner]
    return [('ring all-reduce', [GPUS], ['ring'], 1, 'all-reduce'),
            ('halving-doubling', [GPUS], ['halvingDoubling'], 1, 'all-reduce'),
            ('hierarchical', tiers, ['ring', 'halvingDoubling'], 4, 'all-reduce'),
            ('all-to-all', [GPUS], ['direct'], 1, 'all-to-all'),
            ('DLRM step', [GPUS], ['halvingDoubling'], 1, dlrm(size)),
            ('transformer step', tiers, ['ring', 'halvingDoubling'], 4, transformer(size)),
            ('incast', [GPUS], None, 0, 'incast')]


def make(nadi, name, dims, what, size):
    """The workload's trace; its prefix."""
    stem = name.replace(' ', '-') + '-' + 'x'.join(map(str, dims))
    if what == 'incast':
        rows = incast(size)
        save('incast.txt', '\n'.join([str(len(rows))] + rows) + '\n')
        return stem
    if what in ('all-reduce', 'all-to-all'):
        cmd = [nadi, 'gen', 'collective', '--kind', what, '--ranks', str(GPUS), '--bytes', str(size), '-o', stem]
    else:
        save(stem + '.txt', what)
        cmd = [nadi, 'trace', 'from-text', stem + '.txt', '--unit', 'ns', '--topology', 'x'.join(map(str, dims)), '-o', stem]
    subprocess.run(cmd, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return stem


def run(cmd, what):
    p = subprocess.run(cmd, capture_output=True, text=True)
    if p.returncode:
        sys.exit(f'study: {what}: {p.stderr.strip()}')
    return p.stdout


def table(folder, which):
    with open(f'{folder}/{which}.csv') as f:
        return list(csv.DictReader(f))


def simulate_flows(nadi, variant, scheme):
    """The incast itself, and the bystanders' mean."""
    out = f'{variant}-{scheme}-incast'
    run([nadi, 'flows', '--quiet', '--topology', variant + '.txt', '--flows', 'incast.txt', '--config', scheme + '.yml',
         '--out', out], out)
    flows = table(out, 'flows')
    into = [float(r['fct_ns']) for r in flows if r['dst'] == '0']
    beside = [float(r['fct_ns']) for r in flows if r['dst'] != '0']
    peaks = [int(r['peak_queue_bytes']) for r in table(out, 'ports')]
    peaks = [q for q in peaks if q]
    figures = {'pfc': len(table(out, 'pfc')), 'queue': max(peaks), 'mean_queue': sum(peaks) / len(peaks), 'resent': None}
    return {'incast': {'ns': max(into), **figures}, 'beside the incast': {'ns': sum(beside) / len(beside), **figures}}


def simulate(nadi, variant, scheme, name, stem, dims, algorithms, chunks):
    if algorithms is None:
        return simulate_flows(nadi, variant, scheme)
    own = f'{variant}-{scheme}-{stem}'
    save(own + '.system.json', system(algorithms, chunks))
    save(own + '.network.yml', network(dims, variant, scheme))
    cmd = [nadi, 'run', '--quiet', '--workload', stem, '--system', own + '.system.json', '--network', own + '.network.yml',
           '--network-model', 'packet', '--format', 'json']
    if os.path.exists(stem + '.groups.json'):
        cmd += ['--groups', stem + '.groups.json']
    r = json.loads(run(cmd, own))
    packets = r['network']['packets']
    return {name: {'ns': r['time']['end_to_end_ns'], 'pfc': packets['pfc_frames'], 'queue': packets['peak_queue_bytes'],
            'mean_queue': packets['mean_peak_queue_bytes'], 'resent': packets['retransmitted']}}


def draw(path, results, schemes, names, size):
    """A panel a network, a row a workload, a dot a scheme: time relative to PFC alone."""
    most = max(r['ns'] / results[v, w, 'none']['ns'] for (v, w, s), r in results.items())
    least = min(r['ns'] / results[v, w, 'none']['ns'] for (v, w, s), r in results.items())
    low, high = math.log(min(0.9, least - 0.03)), math.log(max(1.1, most + 0.05))
    variants = sorted({v for v, _, _ in results})
    left, width, row, top = 150, 620, 46, 84
    panel = row * len(names) + 66
    height = top + panel * len(variants) + 10
    x = lambda value: left + (math.log(value) - low) / (high - low) * width
    seen = 22
    o = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 40}" height="{height}" '
         f'font-family="sans-serif" font-size="13" fill="#222">', '<rect width="100%" height="100%" fill="white"/>',
         f'<text x="16" y="26" font-size="17" font-weight="bold">Time of a step or collective, relative to PFC alone</text>',
         f'<text x="16" y="46" fill="#666">128 GPUs, 8 racks, 8 spines, 200 Gb/s; collectives of {size / (1 << 20):.4g} MiB; 1 is PFC alone, less is better</text>']
    for i, s in enumerate(schemes):
        o.append(f'<circle cx="{seen}" cy="66" r="5" fill="{COLOURS[i % 10]}"/><text x="{seen + 9}" y="70.5">{s}</text>')
        seen += 36 + 7.5 * len(s)
    span = math.exp(high - low)
    ticks = (0.9, 0.95, 1, 1.05, 1.1, 1.2) if span < 1.4 else (0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.4, 1.7, 2, 2.5, 3, 4, 5, 6, 8, 10, 15, 20)
    for p, v in enumerate(variants):
        y0 = top + p * panel + 34
        label = 'Two-level Clos' if v == 'clos' else 'Servers of 8 GPUs with NVSwitches under the Clos'
        o.append(f'<text x="16" y="{y0 - 10}" font-weight="bold">{label}</text>')
        for tick in ticks:
            if low <= math.log(tick) <= high:
                o.append(f'<line x1="{x(tick):.1f}" x2="{x(tick):.1f}" y1="{y0}" y2="{y0 + row * len(names)}" '
                         f'stroke="{"#888" if tick == 1 else "#e3e3e3"}"/><text x="{x(tick):.1f}" y="{y0 + row * len(names) + 16}" '
                         f'text-anchor="middle" fill="#666">{tick:g}</text>')
        for i, w in enumerate(names):
            y = y0 + row * i + row / 2
            o.append(f'<line x1="16" x2="{left + width}" y1="{y0 + row * i}" y2="{y0 + row * i}" stroke="#e3e3e3"/>')
            o.append(f'<text x="{left - 12}" y="{y + 4}" text-anchor="end">{w}</text>')
            for k, s in enumerate(schemes):
                ratio = results[v, w, s]['ns'] / results[v, w, 'none']['ns']
                o.append(f'<circle cx="{x(ratio):.1f}" cy="{y + (k - (len(schemes) - 1) / 2) * 3.6:.1f}" r="4.5" '
                         f'fill="{COLOURS[k % 10]}" fill-opacity="0.85"/>')
    save(path, '\n'.join(o + ['</svg>']) + '\n')


def queue_over_time(folder):
    """[(ms, longest queue of any port in MB)], 0 where none is listed."""
    longest = {}
    for r in table(folder, 'queues'):
        at = int(r['time_ns'])
        longest[at] = max(longest.get(at, 0), int(r['queue_bytes']))
    times = sorted(longest)
    step = min((b - a for a, b in zip(times, times[1:])), default=1)
    line = [(0, 0)]
    for at in times:
        if at - line[-1][0] > step:
            line += [(line[-1][0] + step, 0), (at - step, 0)]
        line.append((at, longest[at]))
    return [(at / 1e6, q / 1e6) for at, q in line + [(line[-1][0] + step, 0)]]


def draw_queues(path, schemes):
    """The longest queue over time during the incast on the Clos: a row a scheme, one scale for all."""
    lines = {s: queue_over_time(f'clos-{s}-incast') for s in schemes}
    ends = {s: max(float(r['fct_ns']) for r in table(f'clos-{s}-incast', 'flows') if r['dst'] == '0') / 1e6 for s in schemes}
    end = max([line[-1][0] for line in lines.values()] + list(ends.values()))
    most = max(q for line in lines.values() for _, q in line) or 1
    left, width, row, top = 100, 660, 58, 66
    height = top + row * len(schemes) + 44
    o = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{left + width + 90}" height="{height}" font-family="sans-serif" '
         f'font-size="13" fill="#222">', '<rect width="100%" height="100%" fill="white"/>',
         '<text x="16" y="26" font-size="17" font-weight="bold">Longest queue of any port during the incast</text>',
         f'<text x="16" y="46" fill="#666">Two-level Clos, 14 senders to one GPU, 14 flows beside them; rows from 0 to {most:.3g} MB; bar: the incast is over</text>']
    step = 10 ** math.floor(math.log10(end))
    step = next(step * m for m in (0.2, 0.5, 1, 2) if end / (step * m) <= 10)
    for i in range(int(end / step) + 1):
        x = left + i * step / end * width
        o.append(f'<line x1="{x:.1f}" x2="{x:.1f}" y1="{top}" y2="{top + row * len(schemes)}" stroke="#e3e3e3"/>'
                 f'<text x="{x:.1f}" y="{height - 26}" text-anchor="middle" fill="#666">{i * step:g}</text>')
    o.append(f'<text x="{left + width / 2}" y="{height - 8}" text-anchor="middle" fill="#666">ms</text>')
    for k, s in enumerate(schemes):
        bottom = top + row * (k + 1)
        pixels = {}
        for t, q in lines[s]:
            x = round(left + t / end * width)
            pixels[x] = max(q, pixels.get(x, 0))
        at = [(x, bottom - q / most * (row - 8)) for x, q in sorted(pixels.items())]
        points = ' '.join(f'{x},{y:.1f}' for x, y in at)
        peak = max(q for _, q in lines[s])
        o.append(f'<polygon points="{left},{bottom} {points} {at[-1][0]},{bottom}" fill="{COLOURS[k % 10]}" fill-opacity="0.25"/>'
                 f'<polyline points="{points}" fill="none" stroke="{COLOURS[k % 10]}" stroke-width="1.5"/>'
                 f'<line x1="{left}" x2="{left + width}" y1="{bottom}" y2="{bottom}" stroke="#bbb"/>'
                 f'<text x="{left - 12}" y="{bottom - 6}" text-anchor="end">{s}</text>'
                 f'<line x1="{left + ends[s] / end * width:.1f}" x2="{left + ends[s] / end * width:.1f}" y1="{bottom}" y2="{bottom - 20}" '
                 f'stroke="{COLOURS[k % 10]}" stroke-width="3"/>'
                 f'<text x="{left + width + 8}" y="{bottom - 6}" fill="#666">{peak:.3g} MB</text>')
    save(path, '\n'.join(o + ['</svg>']) + '\n')


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument('nadi', nargs='?', default='nadi')
    a.add_argument('--bytes', type=int, default=16 << 20)
    a.add_argument('--jobs', type=int, default=os.cpu_count())
    a.add_argument('--schemes', default=','.join(SCHEMES))
    a.add_argument('--out', default='roce-study')
    o = a.parse_args()
    nadi = os.path.abspath(o.nadi) if os.path.exists(o.nadi) else o.nadi
    schemes = o.schemes.split(',')
    schemes = ['none'] + [s for s in schemes if s != 'none']
    os.makedirs(o.out, exist_ok=True)
    os.chdir(o.out)
    for variant in ('clos', 'nvswitch'):
        save(variant + '.txt', topology(variant == 'nvswitch'))
    for s in schemes:
        save(s + '.yml', f'congestion-control: {s}\nswitching: store-and-forward\n')
    results, names = {}, []
    print(f'{"network":9} {"workload":17} {"scheme":10} {"time us":>11} {"of PFC":>7} {"PFC frames":>10} {"longest queue kB":>17} '
          f'{"mean kB":>8} {"sent again":>10}')
    cases = [(variant, make(nadi, w[0], w[1], w[4], o.bytes)) + w
             for variant in ('clos', 'nvswitch') for w in workloads(variant, o.bytes)]
    with ThreadPoolExecutor(o.jobs) as pool:
        work = [pool.submit(simulate, nadi, variant, s, name, stem, dims, algorithms, chunks)
                for variant, stem, name, dims, algorithms, chunks, _ in cases for s in schemes]
        for (variant, s), job in zip(((case[0], s) for case in cases for s in schemes), work):
            for name, r in job.result().items():
                names += [name] if name not in names else []
                results[variant, name, s] = r
                base = results[variant, name, 'none']['ns']
                resent = '-' if r['resent'] is None else r['resent']
                print(f'{variant:9} {name:17} {s:10} {r["ns"] / 1e3:11.1f} {r["ns"] / base:7.3f} {r["pfc"]:10d} '
                      f'{r["queue"] / 1e3:17.1f} {r["mean_queue"] / 1e3:8.1f} {resent:>10}', flush=True)
    save('results.json', json.dumps([{'network': v, 'workload': w, 'scheme': s, **r} for (v, w, s), r in results.items()], indent=1))
    draw('roce.svg', results, schemes, names, o.bytes)
    draw_queues('queues.svg', schemes)
    print(f'plots: {o.out}/roce.svg, {o.out}/queues.svg')


if __name__ == '__main__':
    main()
