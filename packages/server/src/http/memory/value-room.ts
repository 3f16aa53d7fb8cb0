import { type Room, runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { abandoned, tooManyBytes } from '../../request-error.js';
import type { BufferBudget, Client, Hold } from './buffer-budget.js';

/** Runs work in slices, and counts its memory until it is over. It ends with an error when the client leaves. */
export async function runInRoom<T>(budget: BufferBudget, client: Client, steps: Steps<T>): Promise<T> {
  const room = new ValueRoom(budget, client);
  try {
    return await runInSlices(steps, room);
  } finally {
    room.release();
  }
}

/**
 * The memory of the values that a client's work reads: it waits for room in the budget, and ends when the client leaves
 * (docs/http.md#memory). Work that needs more than the budget has runs alone.
 */
export class ValueRoom implements Room {
  /** Whether the work is to end because others have waited for its memory. */
  isEnded = false;
  private hold: Hold | undefined;
  private wanted = 0;

  constructor(
    private readonly budget: BufferBudget,
    private readonly client: Client,
    /** Whether it may last long, so that it is ended if others have to wait for its memory. */
    private readonly mayLast = false,
  ) {}

  get bytes(): number {
    return this.hold?.bytes ?? 0;
  }

  grow(bytes: number): Promise<void> | undefined {
    const { budget } = this;
    this.hold ??= budget.hold(0, this.client);
    const { hold } = this;
    this.wanted += bytes;
    const more = Math.min(this.wanted, budget.mostOfOne) - hold.bytes;
    if (more <= 0) hold.resize(hold.bytes + more);
    else if (!budget.tryReserve(hold, more)) return budget.reserve(hold, more).then(this.mayEnd);
    this.mayEnd();
    return undefined;
  }

  check(): void {
    if (this.isEnded) throw tooManyBytes();
    if (this.client.isAbandoned) throw abandoned();
  }

  /** From now on the work may be ended if others have to wait for its memory, however little that is. */
  letEnd(): void {
    if (this.bytes > 0) this.hold?.waitForClient(this.end);
  }

  release(): void {
    this.wanted = 0;
    this.hold?.release();
  }

  private readonly mayEnd = () => {
    const { hold } = this;
    if (this.mayLast && hold?.isLarge) hold.waitForClient(this.end);
    else if (hold !== undefined) hold.onStalled = undefined;
  };

  private readonly end = () => {
    this.isEnded = true;
  };
}
