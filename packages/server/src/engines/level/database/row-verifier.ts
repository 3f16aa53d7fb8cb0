import type { TextRow } from '../../item-store.js';
import { type DamagedRow, RowsDamaged } from '../../storage-errors.js';
import { bytesOfText, decodeText, isDueText, parseRowKey, rowProblem, seedOf } from '../rows/row-encoding.js';

/** Compares every row that leaves LevelDB with its checksum. */
export type RowVerifier = ReturnType<typeof createRowVerifier>;

export interface RowVerifierOptions {
  /** Whether each row has a checksum. Data folders up to format 2 have rows without one. */
  readonly allChecked: boolean;
  /** Whether damaged rows are left out as if they were not there. */
  readonly acceptDamage: boolean;
  /** Called for each damaged row that is read, again for each read. It must not throw. */
  readonly onDamage?: ((row: DamagedRow) => void) | undefined;
}

export function createRowVerifier({ allChecked, acceptDamage, onDamage }: RowVerifierOptions) {
  function refuse(id: string, problem: string, skip = acceptDamage): undefined {
    const row = { ...parseRowKey(id), problem };
    onDamage?.(row);
    if (skip) return undefined;
    throw new RowsDamaged(`The row ${JSON.stringify(row.key)} of ${row.space} is damaged: ${problem}`);
  }

  return {
    /**
     * The row as it is stored. Throws `RowsDamaged` for a row that is damaged, or gives undefined if the operator has
     * accepted that damaged rows are lost, or with `skip`.
     */
    row(id: string, raw: Buffer, skip?: boolean): Buffer | undefined {
      const problem = rowProblem(seedOf(id), raw, allChecked);
      return problem === undefined ? raw : refuse(id, problem, skip);
    },
    /** The same for a row that was read as text. Its key begins there in its row key, whose seed is `seed`. */
    textRow(
      id: string,
      keyStart: number,
      raw: string,
      seed = seedOf(id),
      skip?: boolean,
    ): TextRow | undefined {
      const bytes = bytesOfText(seed, raw, allChecked);
      if (typeof bytes === 'string') return refuse(id, bytes, skip);
      return { key: id.slice(keyStart), text: decodeText(raw), bytes, mayBeDue: isDueText(raw) };
    },
    /** Whether a row is intact; it may also be false for one whose value is not text. */
    isIntactText: (id: string, raw: string) => typeof bytesOfText(seedOf(id), raw, allChecked) === 'number',
    /** The damage of a row, or undefined. */
    damageOf(id: string, raw: Buffer): DamagedRow | undefined {
      const problem = rowProblem(seedOf(id), raw, allChecked);
      return problem === undefined ? undefined : { ...parseRowKey(id), problem };
    },
  };
}
