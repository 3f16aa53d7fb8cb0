import type { IncomingHttpHeaders } from 'node:http';
import { type Grant, hasEnded, nobody } from '../../access/grant.js';
import { type Deletions, isDeletedSince, noDeletions } from '../../access/project-gate.js';
import type { Wakefulness } from '../../access/wakefulness.js';
import type { Clock } from '../../lib/clock.js';
import { type Room, runInSlices, type Steps } from '../../lib/concurrency/time-slices.js';
import { abandoned, projectDeleted, type RequestError, unauthorized } from '../../request-error.js';
import type { BufferBudget, Client, Hold } from '../memory/buffer-budget.js';
import { ValueRoom } from '../memory/value-room.js';
import type { Answer, Call, StreamUse } from './call.js';
import type { Place } from './places.js';
import { parseQueryString, type QueryString } from './query-string.js';

type Params = Readonly<Record<string, string | undefined>>;

const noParams: Params = {};

/** How a streamed answer ended: how many bytes of its body were sent, and what cut it off. */
export interface Sent {
  readonly bytes: number;
  readonly failure?: unknown;
  /** Whether nothing was sent before the failure, so that another answer can be sent. */
  readonly isUnsent?: boolean;
}

/**
 * A request and its answer: what the route sees of the request, and what its log line contains. A class, because every
 * request makes one: an object with its own closures cost 1 µs more.
 */
export abstract class Exchange implements Call, Client, Room {
  readonly startedMs = performance.now();
  /** The route's pattern, once it is known. */
  route: string | undefined;
  /** The project whose key the request has, once the key was checked. */
  owner: string | undefined;
  grant: Grant = nobody;
  /** When it was found that its project is there. */
  deletions: Deletions = noDeletions;
  project = '';
  name = '';
  params: Params = noParams;
  queryText = '';
  /** What the budget counts for this request; undefined for one that is too small to count. */
  hold: Hold | undefined;
  /** Counts the values that its body becomes. */
  values: BufferBudget | undefined;
  room: ValueRoom | undefined;
  /** By which it is known whether the key has expired in the meantime. */
  clock: Clock = Date.now;
  wakefulness: Wakefulness | undefined;
  /** Whether the answer has begun. */
  isAnswered = false;
  /** Whether its connection ends with its answer, and gives its place to others. */
  isLast = false;
  /** What it has of the places of requests, until it has ended. */
  place: Place | undefined;
  private readQuery: QueryString | undefined;
  /** How a failure is answered, if not as docs/http.md#errors says. */
  explain: ((cause: unknown) => Answer) | undefined;

  constructor(
    readonly method: string,
    /** The request target: path and query string as they arrived. */
    readonly target: string,
    readonly headers: IncomingHttpHeaders,
    readonly requestId: string,
  ) {}

  /** Read once: some routes ask for twenty parameters. */
  get query(): QueryString {
    this.readQuery ??= parseQueryString(this.queryText);
    return this.readQuery;
  }

  get keyId(): string {
    return this.grant.keyId;
  }

  get isAbandoned(): boolean {
    return this.hasLeft || this.room?.isEnded === true || (this.hasAccessEnded && !this.isAnswered);
  }

  get hasAccessEnded(): boolean {
    return this.isProjectDeleted || hasEnded(this.grant, this.clock);
  }

  /**
   * Undefined on a server that is awake. On one that has slept, resolves when it knows again which keys and projects have
   * ended: then `hasAccessEnded` is up to date.
   */
  catchUp(): Promise<void> | undefined {
    const { wakefulness } = this;
    return wakefulness !== undefined && performance.now() > wakefulness.awakeUntilMs
      ? wakefulness.catchUp()
      : undefined;
  }

  get accessEnd(): RequestError {
    return this.isProjectDeleted ? projectDeleted() : unauthorized();
  }

  /** A function of its own only where it is asked for: every request would make one. */
  get requireAccess(): () => void {
    return () => {
      if (this.hasAccessEnded) throw this.accessEnd;
    };
  }

  private get isProjectDeleted(): boolean {
    return this.deletions.next !== undefined && isDeletedSince(this.deletions, this.project);
  }

  run<T>(steps: Steps<T>): T | Promise<T> {
    return runInSlices(steps, this.values === undefined ? undefined : this);
  }

  /** Most bodies become nothing that is counted: the room is made for the others. */
  grow(bytes: number): Promise<void> | undefined {
    this.room ??= new ValueRoom(this.values as BufferBudget, this, true);
    return this.room.grow(bytes);
  }

  check(): void {
    if (this.room !== undefined) this.room.check();
    else if (this.isAbandoned) throw abandoned();
  }

  get valueBytes(): number {
    return this.room?.bytes ?? 0;
  }

  freeValues(): void {
    this.room?.release();
  }

  freeBody(): void {
    this.hold?.release();
  }

  mayLast(): void {
    this.place?.waits();
    this.room?.letEnd();
  }

  belongsTo(project: string): void {
    this.place?.belongsTo(project);
  }

  /** The values of each field with this name in lower case, one character a byte; none if there is no such field. */
  abstract valuesOf(name: string): readonly string[];
  abstract get contentLength(): number | undefined;
  /** Whether the client has closed the connection. */
  abstract get hasLeft(): boolean;
  abstract body(maxBytes: number, tooLarge: () => Error): Buffer | Promise<Buffer>;
  abstract stream(maxBytes: number, tooLarge: () => Error, use: StreamUse): AsyncIterable<Buffer>;
  /** Writes the answer. Gives the size of its body; for a streamed answer, a promise of how it ended. */
  abstract send(answer: Answer): number | Promise<Sent>;
}
