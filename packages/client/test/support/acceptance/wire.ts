// The shapes of the acceptance tests that are named here; they are compiled for themselves.

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
  readonly text: string;
  json<T = unknown>(): T;
}

export interface Api {
  readonly target: { readonly url: URL; readonly key: string };
}

/** The operations on a base, as the acceptance tests call them. */
export interface RawBase {
  put(...items: unknown[]): Promise<Reply>;
  insert(item: unknown): Promise<Reply>;
  get(key: string): Promise<Reply>;
  remove(key: string): Promise<Reply>;
  update(key: string, update: unknown): Promise<Reply>;
  query(query: unknown): Promise<Reply>;
}

interface SendOptions {
  readonly type?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly key?: string | null;
}

/** The operations on a drive, as the acceptance tests call them. */
export interface RawDrive {
  put(name: string, body: string | Buffer, options?: SendOptions): Promise<Reply>;
  get(name: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  list(query?: Readonly<Record<string, string | number>>): Promise<Reply>;
  remove(names: unknown): Promise<Reply>;
}

/** The module of the acceptance tests that speaks HTTP. */
export interface Names {
  freshName(prefix: string): string;
  freshBase(api: Api, name?: string): RawBase;
  freshDrive(api: Api, name?: string): RawDrive;
  openUpload(...parameters: unknown[]): unknown;
}
