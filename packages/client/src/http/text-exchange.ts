/** What the library reads of an answer whose body is a small text. A `Response` is such an answer. */
export interface TextAnswer {
  readonly status: number;
  /** Whether the status is 2xx. */
  readonly ok: boolean;
  readonly headers: { get(name: string): string | null };
  text(): Promise<string>;
}

/** What tells a request to end. */
export interface Ending {
  /** It may be made when it is first asked for: making one takes a tenth of the time of a whole `get` in Node. */
  readonly signal: AbortSignal;
  /** Calls this at the end, in place of what was given before: a call has one request at a time. */
  onEnd(listener: (reason: unknown) => void): void;
}

export interface TextRequest {
  readonly method: string;
  readonly headers: Headers;
  readonly ending: Ending;
  readonly body?: string | Uint8Array;
}

/** Sends a request and gives its answer. Follows no redirect. Rejects with the reason as `cause`, as `fetch` does. */
export type TextExchange = (url: string, request: TextRequest) => Promise<TextAnswer>;

let find: () => TextExchange | undefined = () => undefined;

/** Sets how this platform finds what exchanges texts faster than its `fetch`. It is asked at each request. */
export function setTextExchange(findExchange: () => TextExchange | undefined): void {
  find = findExchange;
}

/** What to use in place of the platform's `fetch` for texts, if there is anything. */
export function textExchange(): TextExchange | undefined {
  return find();
}
