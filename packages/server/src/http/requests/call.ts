import type { IncomingHttpHeaders } from 'node:http';
import type { Grant } from '../../access/grant.js';
import type { Steps } from '../../lib/concurrency/time-slices.js';
import type { FailureStatus } from '../../problem-codes.js';
import type { RequestError } from '../../request-error.js';
import type { Client } from '../memory/buffer-budget.js';
import type { QueryString } from './query-string.js';

/** The fields of a request's head, by their names in lower case. */
export type RequestHeaders = IncomingHttpHeaders;

/** A request as a route sees it: its key is checked and its path is decoded. */
export interface Call extends Client {
  readonly project: string;
  /**
   * What the request's key may do. The right of the route is checked already, and so are the names in the path and the
   * query string. The handler itself keeps to the prefix: `access/scope.ts`.
   */
  readonly grant: Grant;
  /**
   * The name of the base or drive: 1–255 UTF-8 bytes, no control characters. Empty if the path is that of a project.
   */
  readonly name: string;
  /** The other segments of the path by their names in the route (`key`, `uploadId`), decoded once. */
  readonly params: Readonly<Record<string, string | undefined>>;
  readonly query: QueryString;
  /** The request target as it arrived: path and query string. */
  readonly target: string;
  readonly headers: RequestHeaders;
  /** The length that the client announced, or undefined (chunked). */
  readonly contentLength: number | undefined;
  /**
   * The whole body, without a promise if it is there already. Throws or rejects with `tooLarge()` as soon as more than
   * `maxBytes` are announced or arrive, with a 400 `RequestError` if the client stops early, with a 401 if the key ends
   * before the body does, with a 410 if the project is deleted before that, and with a 429 if there is no room for it
   * (docs/http.md#memory).
   */
  body(maxBytes: number, tooLarge: () => Error): Buffer | Promise<Buffer>;
  /** The body as it arrives, with the same limit and the same errors. */
  stream(maxBytes: number, tooLarge: () => Error, use: StreamUse): AsyncIterable<Buffer>;
  /**
   * Runs work on the body in slices: reading it takes many times its size. The memory is counted until the answer is
   * sent, or `freeValues` is called. The work waits for it; a 429 says that there is none (docs/http.md#memory). It ends with
   * an error when the client leaves.
   */
  run<T>(steps: Steps<T>): T | Promise<T>;
  /** The bytes that are counted for it. */
  readonly valueBytes: number;
  /** Counts them no longer, because what was read is forgotten. */
  freeValues(): void;
  /** Counts the body no longer, because it was read and is forgotten. */
  freeBody(): void;
  /**
   * From now on it mostly waits: if others need the memory of what was read, it is ended, however little that is. Throws the 429
   * `RequestError` of a project that has too many of those (docs/operations.md#limits).
   */
  mayLast(): void;
  /**
   * Counts a request without a key as one of this project, to which it was found to belong. Throws the 429 `RequestError` of a
   * project that has too many (docs/operations.md#limits).
   */
  belongsTo(project: string): void;
  /**
   * Whether the client has closed the connection and no longer waits for the answer, its memory is needed by others, or
   * its key was deleted or has expired (docs/http.md#delete-key), or its project was deleted. Then long work ends with
   * `abandoned()`.
   */
  readonly isAbandoned: boolean;
  /** Whether its key was deleted or has expired, or its project was deleted, since it began. */
  readonly hasAccessEnded: boolean;
  /** What answers it then: a 401 `RequestError`, and a 410 for a deleted project (docs/http.md#delete-project). */
  readonly accessEnd: RequestError;
  /** Throws it then. */
  readonly requireAccess: () => void;
}

/** What the reader of a streamed body does with it. */
export interface StreamUse {
  /** The maximum of bytes that it keeps in memory. The budget counts this many. */
  readonly keptBytes: number;
  /** Chunks are given as they come. Else small ones are joined, and wait for each other. */
  readonly isPrompt: boolean;
}

declare const value: unique symbol;

/**
 * What an operation answers with. The listener adds the request id, CORS and the headers of the connection. `Value` is
 * the type of what the body is the JSON of.
 */
export interface Answer<Status extends number = number, Value = unknown> {
  readonly status: Status;
  readonly [value]?: Value;
  /** Names and values, alternating (`['ETag', '"x"', …]`): the form that Node sends without copying. */
  readonly headers: readonly string[];
  /**
   * A body in memory is sent at once with its length; others are streamed (with `Content-Length` in `headers`, or in
   * chunks).
   */
  readonly body: Buffer | string | AsyncIterable<Buffer>;
  /** The body goes on for good, and mostly waits: only what is being sent counts as memory. */
  readonly isEndless?: boolean;
}

/** An answer that says in words what is wrong. Every operation may give it. */
export type Failure = Answer<FailureStatus, never>;

export type Handler = (call: Call) => Answer | Promise<Answer>;

export type Method = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
