import type { Finding } from '../model/model.js';

/** What was done under one kind of fault, and what was found. */
export interface Row {
  readonly component: string;
  kills: number;
  /** Operations that were answered as expected. */
  acknowledged: number;
  /** Operations that were answered with 503, or not at all. */
  inDoubt: number;
  /** Comparisons of one model with what was acknowledged, under load and while nothing ran. */
  comparisons: number;
  lost: number;
  doubled: number;
  /** Wrong answers, broken connections of running servers, wrong readiness. */
  wrong: number;
  /** Requests without an answer in time. */
  late: number;
}

export type FindingKind = Finding['kind'] | 'wrong' | 'late';

/** Counts for the component that is broken at the moment. */
export class Tally {
  readonly rows: Row[] = [];
  readonly findings: string[] = [];
  /** The row in which operations count at the moment. */
  current: Row;
  #reported = new Set<string>();

  constructor() {
    this.current = this.#rowOf('none');
  }

  /** From now on, everything counts for this component. */
  begin(component: string): void {
    this.current = this.#rowOf(component);
    this.#reported = new Set();
  }

  /** Counts a finding once for each model and kill: something lost is found again by every later read. */
  find(kind: FindingKind, about: string, text: string): void {
    const what = `${kind} ${about}`;
    if (this.#reported.has(what)) return;
    this.#reported.add(what);
    this.current[kind]++;
    this.findings.push(`${new Date().toISOString()} ${this.current.component}: ${kind}: ${text}`);
  }

  sum(column: Exclude<keyof Row, 'component'>): number {
    return this.rows.reduce((sum, row) => sum + row[column], 0);
  }

  #rowOf(component: string): Row {
    const found = this.rows.find((row) => row.component === component);
    if (found !== undefined) return found;
    const row: Row = {
      component,
      kills: 0,
      acknowledged: 0,
      inDoubt: 0,
      comparisons: 0,
      lost: 0,
      doubled: 0,
      wrong: 0,
      late: 0,
    };
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
    'component',
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
    .map((row) => [row.component, ...columns.map((column) => row[column])]);
  const total = ['all', ...columns.map((column) => tally.sum(column))];
  return [titles, titles.map(() => '---'), ...lines, total]
    .map((line) => `| ${line.join(' | ')} |\n`)
    .join('');
}
