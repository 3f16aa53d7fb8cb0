import type { Finding } from '../model/model.js';

/** What was done under one kind of kill, and what came of it. */
export interface Row {
  readonly part: string;
  kills: number;
  /** Operations that were answered as due. */
  acknowledged: number;
  /** Operations that were answered 503, or not at all. */
  inDoubt: number;
  /** Comparisons of one subject with what was acknowledged, under load and at rest. */
  comparisons: number;
  lost: number;
  doubled: number;
  /** Answers that are none of those due, broken connections of living servers, readiness that is not so. */
  wrong: number;
  /** Requests that had no answer within the bound. */
  late: number;
}

export type FindingKind = Finding['kind'] | 'wrong' | 'late';

/** Counts for the part that is struck at the moment. */
export class Tally {
  readonly rows: Row[] = [];
  readonly findings: string[] = [];
  /** The row that is counted on. */
  current: Row;
  #told = new Set<string>();

  constructor() {
    this.current = this.#rowOf('none');
  }

  /** From now on, all counts are of this part's. */
  begin(part: string): void {
    this.current = this.#rowOf(part);
    this.#told = new Set();
  }

  /** Counts it, once a subject and a kill: what is lost is missed at each further look. */
  find(kind: FindingKind, about: string, text: string): void {
    const what = `${kind} ${about}`;
    if (this.#told.has(what)) return;
    this.#told.add(what);
    this.current[kind]++;
    this.findings.push(`${new Date().toISOString()} ${this.current.part}: ${kind}: ${text}`);
  }

  sum(column: Exclude<keyof Row, 'part'>): number {
    return this.rows.reduce((sum, row) => sum + row[column], 0);
  }

  #rowOf(part: string): Row {
    const found = this.rows.find((row) => row.part === part);
    if (found !== undefined) return found;
    const counts = { kills: 0, acknowledged: 0, inDoubt: 0, comparisons: 0 };
    const row = { part, ...counts, lost: 0, doubled: 0, wrong: 0, late: 0 };
    this.rows.push(row);
    return row;
  }
}

/** The table of the report, in Markdown. */
export function tableOf(tally: Tally): string {
  const columns = [
    'kills',
    'acknowledged',
    'inDoubt',
    'comparisons',
    'wrong',
    'late',
    'lost',
    'doubled',
  ] as const;
  const titles = [
    'part',
    'kills',
    'acknowledged',
    'in doubt',
    'comparisons',
    'wrong answers',
    'late',
    'lost',
    'doubled',
  ];
  const lines = tally.rows
    .filter((row) => row.kills > 0 || row.lost + row.doubled + row.wrong + row.late > 0)
    .map((row) => [row.part, ...columns.map((column) => row[column])]);
  const total = ['all', ...columns.map((column) => tally.sum(column))];
  return [titles, titles.map(() => '---'), ...lines, total]
    .map((line) => `| ${line.join(' | ')} |\n`)
    .join('');
}
