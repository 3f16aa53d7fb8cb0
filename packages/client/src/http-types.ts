/**
 * The bodies of all requests and answers (docs/http.md). The service and this library are both compiled against these
 * types, so they cannot disagree.
 */

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** An item as it is stored and returned. */
export interface StoredItem {
  key: string;
  /** Whole seconds since 1970 UTC. From then on the item no longer exists. */
  __expires?: number;
  [attribute: string]: unknown;
}

/** An item to be stored. Without a key, the service generates one of 12 characters of `a-z0-9`. */
export interface NewItem {
  key?: string;
  __expires?: number;
  [attribute: string]: unknown;
}

/** Every error except 404 of Get Item and 413 of the file API (`text/html`). */
export interface ErrorBody {
  errors: readonly string[];
}

/** `GET /v1/{project}/bases` and `/drives`, the query string. An absent parameter and an empty one mean the same. */
export interface ListNamesQuery {
  /** 1 to 1000. */
  limit?: string;
  prefix?: string;
  last?: string;
}
/** `GET /v1/{project}/bases`, 200 */
export interface ListBasesResponse {
  /** Present only when more names follow. */
  paging?: { size: number; last: string };
  bases: readonly string[];
}
/** `GET /v1/{project}/drives`, 200 */
export interface ListDrivesResponse {
  /** Present only when more names follow. */
  paging?: { size: number; last: string };
  drives: readonly string[];
}

/** What a key may do at most: each includes those after it. */
export type Access = 'full' | 'write' | 'read';
/** The limits of a key. What is absent is not limited. */
export interface KeyLimits {
  access?: Access;
  /** Names of bases. One that ends in `*` stands for all names that begin so. */
  bases?: readonly string[];
  /** Names of drives, as `bases`. A key with one of both lists reaches nothing of the other kind. */
  drives?: readonly string[];
  /** What the keys of items and the names of files begin with. */
  prefix?: string;
  /** The origins of web pages that may use the key: `https://shop.example`. */
  origins?: readonly string[];
  requests_per_second?: number;
}
/** `POST /v1/{project}/keys` */
export interface CreateKeyRequest extends KeyLimits {
  /** What people call the key. */
  name?: string;
  /** Seconds from now on for which the key is valid. */
  expires_in?: number;
}
/** `GET /v1/{project}/keys`: a key, without its secret. */
export interface KeyDetails extends KeyLimits {
  id: string;
  name?: string;
  access: Access;
  /** Whole seconds since 1970 UTC. */
  created: number;
  /** Whole seconds since 1970 UTC. From then on the key is not valid. */
  expires?: number;
  /** The beginning of the minute of the last use, in seconds since 1970 UTC. Absent: it was not used. */
  last_used?: number;
}
/** `POST /v1/{project}/keys`, 201 */
export interface CreateKeyResponse extends KeyDetails {
  /** The key itself. No other answer has it. */
  key: string;
}
/** `GET /v1/{project}/keys`, 200 */
export interface ListKeysResponse {
  keys: readonly KeyDetails[];
}
/** `GET /v1/{project}/keys?self=true`, 200: the key of the request. */
export interface OwnKeyResponse extends Omit<KeyDetails, 'created'> {
  /** Whole seconds since 1970 UTC. Absent for a key that the server was started with. */
  created?: number;
  /** Whether it may create, list and delete keys: it has no limit. */
  manages_keys: boolean;
}
/** `DELETE /v1/{project}/keys?id=`, 200 */
export interface DeleteKeyResponse {
  id: string;
}

/** Of a base. */
export interface BaseStats {
  items: number;
  /** Of the stored JSON of the items. */
  bytes: number;
  /** False when the numbers are an estimate. */
  exact: boolean;
}
/** Of a drive. */
export interface DriveStats {
  files: number;
  /** Of the contents of the files. */
  bytes: number;
  /** False when the numbers are an estimate. */
  exact: boolean;
}
/** `GET /v1/{project}/{name}/stats`, 200: of the base and of the drive of this name. Zeros if never written. */
export interface StatsResponse {
  base: BaseStats;
  drive: DriveStats;
}
/** `GET /v1/{project}/activity`, 200: the requests of the project that this server answered. */
export interface ActivityResponse {
  /** The time that is counted: the minute that has begun and those before it. */
  minutes: number;
  requests: number;
  /** Of these, those with 500 or a higher status. */
  failed: number;
  /** Milliseconds that half of the requests took at most. Absent without requests. */
  p50_ms?: number;
  /** Milliseconds that 99 of 100 requests took at most. Absent without requests. */
  p99_ms?: number;
}

/** For how long something is kept that is stored now. */
export interface ExpiresIn {
  /** Whole seconds, by the clock of the service. */
  expires_in?: number | null;
}

/** `PUT /items` */
export interface PutItemsRequest extends ExpiresIn {
  /** 1 to 25. All are stored or none. */
  items: NewItem[];
}
/** 207 */
export interface PutItemsResponse {
  /** In the order of the request. */
  processed: { items: readonly StoredItem[] };
  /** Present only when the store refused valid items. */
  failed?: { items: readonly NewItem[] };
}

/** `POST /items` */
export interface InsertItemRequest extends ExpiresIn {
  item: NewItem;
}
/** 201; 409 when the key exists. */
export type InsertItemResponse = StoredItem;

/** `GET /items/{key}`, 200. */
export type GetItemResponse = StoredItem;
/** `GET /items/{key}`, 404. */
export interface MissingItemResponse {
  key: string;
}

/** `DELETE /items/{key}`, 200 whether the item existed or not. */
export interface DeleteItemResponse {
  key: string;
}

/** `DELETE /items?all=true` and `DELETE /files?all=true`, 200. */
export interface DeleteAllResponse {
  /** The number of items (those that had not expired) or files that were deleted. */
  deleted: number;
}

/** `PATCH /items/{key}`. The names in the objects are attribute paths, such as `profile.age`. */
export interface UpdateItemRequest extends ExpiresIn {
  set?: Record<string, unknown> | null;
  increment?: Record<string, number> | null;
  append?: Record<string, unknown[]> | null;
  prepend?: Record<string, unknown[]> | null;
  delete?: string[] | null;
  /** The update happens only if the item matches. */
  if?: QueryConditions[] | QueryConditions | null;
}
/** 200: the members of the request except `if`; 404 when the item does not exist; 412 when it does not match `if`. */
export interface UpdateItemResponse extends Omit<UpdateItemRequest, 'if'> {
  key: string;
}

/** One operation of a transaction. */
export type TransactionRequestOperation =
  | ({ put: NewItem } & ExpiresIn)
  | ({ insert: NewItem } & ExpiresIn)
  | { update: UpdateItemRequest & { key: string } }
  | { delete: { key: string; if?: UpdateItemRequest['if'] } }
  /** With `null` for `if`, there must be no item. */
  | { check: { key: string; if: QueryConditions[] | QueryConditions | null } };

/** `POST /transactions` */
export interface TransactionRequest {
  /** 1 to 100. All of them happen or none. */
  operations: TransactionRequestOperation[];
}
/** 200; 400, 404, 409 or 412 when an operation fails. */
export interface TransactionResponse {
  /** In the order of the operations: what each answers by itself. A check answers `{key}`. */
  results: readonly (StoredItem | UpdateItemResponse | DeleteItemResponse)[];
}

/** An index of a base. */
export interface IndexInfo {
  name: string;
  /** Attribute paths. */
  fields: readonly string[];
  /** Queries use an index when it is ready. */
  state: 'building' | 'ready';
}
/** `PUT /indexes/{index}` */
export interface DeclareIndexRequest {
  /** 1 to 4 attribute paths. */
  fields: string[];
}
/** 202 for a new index, 200 if it exists; 409 if it exists with other fields. */
export type DeclareIndexResponse = IndexInfo;
/** `GET /indexes`, 200 */
export interface ListIndexesResponse {
  indexes: readonly CountedIndexInfo[];
}
export interface CountedIndexInfo extends IndexInfo {
  /** The number of items in the index. */
  entries: number;
  /** False if not all entries were counted: then there are more. */
  exact: boolean;
}
/** `DELETE /indexes/{index}`, 200 whether the index existed or not. */
export interface DropIndexResponse {
  name: string;
}

/** Conditions that must all be true: `path` or `path?operator`, and the operand. */
export type QueryConditions = Record<string, unknown>;

/** `POST /query` */
export interface QueryItemsRequest {
  /** In a list, one entry must match. Absent: all items. */
  query?: QueryConditions[] | QueryConditions | null;
  /** 1 or more. */
  limit?: number | null;
  /** Continue after this key. */
  last?: string | null;
  sort?: 'asc' | 'desc' | '' | null;
  /** Attribute paths, each with a `-` in front for downwards. Absent: by key. */
  order?: readonly string[] | null;
  /** Number of matches to skip first. Ignored with `last`. */
  offset?: number | null;
  /** Attribute paths: only `key` and these. Absent: whole items. */
  select?: readonly string[] | null;
  /** True: count all matches. */
  count?: boolean | null;
}
/** 200 */
export interface QueryItemsResponse {
  /** `last` is present only when more items may follow, `total` only with `count`. */
  paging: { size: number; last?: string; total?: number };
  items: readonly StoredItem[];
}

/** `PUT /items` and `POST /items` with `application/x-ndjson`, 200: a line of the answer. */
export interface ImportLine {
  /** A refused line, counted from 1. Absent in the last line of the answer. */
  line?: number;
  errors?: readonly string[];
  /** In the last line: how many lines were stored. */
  stored?: number;
  failed?: number;
  /** In the last line: how many refused lines were only counted, if any. */
  unreported?: number;
}

/** `POST /query/count` */
export interface CountItemsRequest {
  /** Absent: all items. */
  query?: QueryConditions[] | QueryConditions | null;
}
/** 200 */
export interface CountItemsResponse {
  count: number;
}

/** `POST /query/delete` */
export interface DeleteByQueryRequest extends CountItemsRequest {
  /** Required if the query matches every item. */
  all?: boolean | null;
  /** Only count what matches. */
  dry_run?: boolean | null;
  /** The maximum number of items to change; 1 or more. */
  limit?: number | null;
}
/** 200; `matched` with `dry_run`. */
export type DeleteByQueryResponse = { deleted: number } | { matched: number };

/** `POST /query/update` */
export interface UpdateByQueryRequest extends DeleteByQueryRequest, Omit<UpdateItemRequest, 'if'> {}
/** 200; `matched` with `dry_run`. */
export type UpdateByQueryResponse =
  | {
      updated: number;
      /** The first 100 items that match, but to which the update could not be applied. */
      failed: readonly { key: string; errors: readonly string[] }[];
      failed_count: number;
    }
  | { matched: number };

/** `POST /files?name=`, 201. The request body is the bytes of the file. */
export interface PutFileResponse {
  name: string;
  project_id: string;
  drive_name: string;
}

/** `POST /uploads?name=`, 202; `PATCH` and `DELETE /uploads/{upload_id}?name=`, 200. No request body. */
export interface UploadResponse extends PutFileResponse {
  upload_id: string;
}
/** `POST /uploads/{upload_id}/parts?name=&part=`, 200. The request body is the bytes of the part. */
export interface UploadPartResponse extends UploadResponse {
  /** Counted from 1. */
  part: number;
}

/** `GET /uploads`, the query string. An absent parameter and an empty one mean the same. */
export interface ListUploadsQuery {
  /** 1 to 1000. */
  limit?: string;
  /** Continue after this `upload_id`. */
  last?: string;
}
/** `GET /uploads`, 200 */
export interface ListUploadsResponse {
  /** Present only when more uploads follow. */
  paging?: { size: number; last: string };
  uploads: readonly OpenUpload[];
}
/** An upload that was neither ended nor aborted. */
export interface OpenUpload {
  upload_id: string;
  /** Of the file. */
  name: string;
}
/** `GET /uploads/{upload_id}?name=`, 200 */
export interface GetUploadResponse extends OpenUpload {
  /** In the order of their numbers. */
  parts: readonly { part: number; size: number }[];
}

/** `POST /links`. Either `name` or `names`. */
export type CreateLinksRequest = {
  name?: string;
  /** 1 to 1000. */
  names?: readonly string[];
  /** Seconds for which the links are valid, 1 to 604800. */
  expires_in: number;
} & (
  | {
      method: 'GET';
      /** Whether a browser shows or saves the file; default `inline`. */
      disposition?: 'inline' | 'attachment';
    }
  | {
      method: 'POST';
      /** The maximum size of the file, up to 10 MiB, which is the default. */
      max_bytes?: number;
      /** `image/png` or `image/*`; default: any. */
      content_type?: string;
      /** Whether an existing file is replaced; default false. */
      overwrite?: boolean;
    }
);
/** 201 */
export interface CreateLinksResponse {
  /** In the order of the request. */
  links: readonly FileLink[];
}
/** A URL that allows one file to be read or stored without a key. */
export interface FileLink {
  name: string;
  url: string;
  /** Whole seconds since 1970 UTC: from then on the link is not valid. */
  expires: number;
}

/** `PUT /public` */
export interface PublicPrefixesRequest {
  /** At most 100, each ending in `/`: the files whose names begin with one of them are public. */
  prefixes: readonly string[];
  /** For how many seconds caches may keep a public file; default 60. */
  max_age?: number | null;
}
/** `GET /public` and `PUT /public`, 200 */
export interface PublicPrefixesResponse {
  prefixes: readonly string[];
  max_age: number;
}

/** `GET /files`, the query string. An absent parameter and an empty one mean the same. */
export interface ListFilesQuery {
  /** 1 to 1000. */
  limit?: string;
  prefix?: string;
  last?: string;
  recursive?: 'true' | 'false';
  details?: 'true' | 'false';
}
/** `GET /files`, 200 */
export interface ListFilesResponse {
  /** Present only when more names follow. */
  paging?: { size: number; last: string };
  names: readonly string[];
  /** Present only with `details=true`: the same names in the same order. */
  files?: readonly FileDetails[];
}
/** What List Files says of a file. Of a directory, only the name is present. */
export interface FileDetails {
  name: string;
  /** Bytes. */
  size?: number;
  content_type?: string;
  /** When the bytes were written: whole seconds since 1970 UTC. */
  modified?: number;
  /** The value of the header `ETag`, with its quotes. */
  etag?: string;
  /** Whole seconds since 1970 UTC. From then on the file no longer exists. Absent: it does not expire. */
  expires?: number;
}
/** `PATCH /files?name=`, 200: `FileDetails` */
export interface ChangeFileRequest {
  /** Whole seconds since 1970 UTC; null: the file does not expire. */
  expires?: number | null;
  /** Or whole seconds from now on, by the clock of the service. */
  expires_in?: number;
  content_type?: string;
}

/** `POST /files/move` and `/files/copy` */
export interface TransferFilesRequest {
  /** 1 to 1000. */
  files: readonly { readonly from: string; readonly to: string }[];
  /** Whether files named `to` are replaced; otherwise they are a conflict. */
  overwrite?: boolean;
}
/** 200 */
export interface MoveFilesResponse {
  moved: number;
}
/** 200 */
export interface CopyFilesResponse {
  copied: number;
}

/** `DELETE /files` */
export interface DeleteFilesRequest {
  /** 1 to 1000. */
  names: string[];
}
/** 200 */
export interface DeleteFilesResponse {
  /** The names that no longer exist, those that never existed included. */
  deleted: readonly string[];
  /** The names that were not deleted, each with the reason. */
  failed: Readonly<Record<string, string>>;
}
