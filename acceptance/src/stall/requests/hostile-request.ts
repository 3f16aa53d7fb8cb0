import type { Api, Reply } from '../../api.js';
import type { Base } from '../../names.js';

/** One request that asks for as much work as a careless server would do for it. */
export interface HostileRequest {
  readonly name: string;
  /** Default: GET. */
  readonly method?: 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
  /** Below the base, or the drive of the same name; a function prepares the request and gives the whole path. */
  readonly path?: string | ((place: Place) => Promise<string>);
  /** The path is below the project instead. */
  readonly isOfProject?: boolean;
  /** The content type of a body; default: JSON. */
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The answer is a stream of changes, which is read until it is live. */
  readonly isEndless?: boolean;
  readonly body?: () => string;
  /** These items are put into the base before. */
  readonly items?: () => readonly string[];
  /** Sends it, if it is none of the service's own API. */
  readonly send?: (place: Place) => Promise<Reply>;
  /** What else is needed before. */
  readonly prepare?: (place: Place) => Promise<unknown>;
  /** Waits for what the server does after its answer. */
  readonly after?: (place: Place) => Promise<unknown>;
}

/** A base, and the drive of the same name. */
export interface Place {
  readonly api: Api;
  readonly base: Base;
}

/** Gives how many of `most` a run takes: fewer at a smaller scale. */
export type Count = (most: number) => number;

/** Sends a request that prepares another. Throws if it is not answered with this status. */
export async function must(status: number, reply: Promise<Reply>): Promise<Reply> {
  const answered = await reply;
  if (answered.status !== status) throw new Error(`${answered.status}: ${answered.text.slice(0, 500)}`);
  return answered;
}
