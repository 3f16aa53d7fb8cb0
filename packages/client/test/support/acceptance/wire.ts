// Types of the acceptance tests, which are a project of their own.

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

/** The operations of a base in the acceptance tests. */
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

/** The operations of a drive in the acceptance tests. */
export interface RawDrive {
  put(name: string, body: string | Buffer, options?: SendOptions): Promise<Reply>;
  get(name: string, headers?: Readonly<Record<string, string>>): Promise<Reply>;
  list(query?: Readonly<Record<string, string | number>>): Promise<Reply>;
  remove(names: unknown): Promise<Reply>;
}

/** The module of the acceptance tests that sends requests. */
export interface Names {
  freshName(prefix: string): string;
  freshBase(api: Api, name?: string): RawBase;
  freshDrive(api: Api, name?: string): RawDrive;
  openUpload(...parameters: unknown[]): unknown;
}
