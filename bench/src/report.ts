// Writes the tables in docs/benchmarks.md from the results of a run, or of several that measured different workloads.
// usage: node bench/dist/src/report.js [bench/results/latest.json …]
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository } from './processes/installed.js';
import type { Results } from './results/measurement.js';
import { resultsSection } from './results/section.js';

const [begin, end] = ['<!-- begin: written by bench/src/report.ts -->', '<!-- end -->'];
const named = process.argv.slice(2);
const files = named.length > 0 ? named : [join(repository, 'bench', 'results', 'latest.json')];
const page = join(repository, 'docs', 'benchmarks.md');

const runs = files.map((file) => JSON.parse(readFileSync(file, 'utf8')) as Results);
const before = readFileSync(page, 'utf8');
const [from, to] = [before.indexOf(begin), before.indexOf(end)];
if (from < 0 || to < from) throw new Error(`${page} lacks the lines that mark where the tables go`);
writeFileSync(page, `${before.slice(0, from)}${begin}\n\n${resultsSection(runs)}\n\n${before.slice(to)}`);
console.log(`${page} written`);
