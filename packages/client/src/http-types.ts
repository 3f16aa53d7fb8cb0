/**
 * The bodies of all requests and answers (docs/http.md). Made by `npm run reference` from the operations of the
 * service: each has a `…Request` and a `…Response` of its name.
 */

/** A value of JSON. */
export type JsonValue = string | number | boolean | null | JsonValue[] | { [name: string]: JsonValue };

/** `PUT /v1/{project}/{base}/items` */
export interface PutItemsRequest {
  /** At most 25, unless the operator allows more. 1 or more. */
  items: readonly NewItem[];
  /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
  expires_in?: number | null;
}

/** An item to be stored. Without a key, the service generates one of 12 characters of `a-z0-9`. */
export interface NewItem {
  key?: string;
  /** Whole seconds since 1970 UTC. From then on the item no longer exists. */
  __expires?: number;
  [name: string]: unknown;
}

/** `PUT /v1/{project}/{base}/items`, 207 */
export interface PutItemsResponse {
  processed: {
    items: readonly StoredItem[];
  };
}

/**
 * `GET /v1/{project}/{base}/items/{key}`, 200; `POST /v1/{project}/{base}/items`, 201. An item as it
 * is stored and returned.
 */
export interface StoredItem {
  key: string;
  /** Whole seconds since 1970 UTC. From then on the item no longer exists. */
  __expires?: number;
  [name: string]: unknown;
}

/** `GET /v1/{project}/{base}/items/{key}`, 404 */
export interface MissingItemResponse {
  key: string;
}

/** `DELETE /v1/{project}/{base}/items/{key}`, 200 */
export interface DeleteItemResponse {
  key: string;
}

/** `POST /v1/{project}/{base}/items` */
export interface InsertItemRequest {
  item: NewItem;
  /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
  expires_in?: number | null;
}

/**
 * `PATCH /v1/{project}/{base}/items/{key}`. The names in the objects are attribute paths, such as
 * `profile.age`.
 */
export interface UpdateItemRequest {
  /** Path to value. */
  set?: Readonly<Record<string, unknown>> | null;
  increment?: Readonly<Record<string, number>> | null;
  append?: Readonly<Record<string, readonly unknown[]>> | null;
  prepend?: Readonly<Record<string, readonly unknown[]>> | null;
  delete?: readonly string[] | null;
  /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
  expires_in?: number | null;
  /** It happens only if the item matches. */
  if?: ItemQuery | null;
  /** The item that is changed if there is none. Its key is that of the update. */
  upsert?: {
    [name: string]: unknown;
  } | null;
  /** The answer has `item` besides: as it is after the update, or as it was before. */
  return?: 'new' | 'old' | null;
}

/** In a list, one entry must match. Empty: all items. */
export type ItemQuery = readonly QueryConditions[] | QueryConditions;

/** Conditions that must all be true: `path` or `path?operator`, and the operand. */
export type QueryConditions = Readonly<Record<string, unknown>>;

/** `PATCH /v1/{project}/{base}/items/{key}`, 200 */
export interface UpdateItemResponse {
  key: string;
  /** Path to value. */
  set?: Readonly<Record<string, unknown>> | null;
  increment?: Readonly<Record<string, number>> | null;
  append?: Readonly<Record<string, readonly unknown[]>> | null;
  prepend?: Readonly<Record<string, readonly unknown[]>> | null;
  delete?: readonly string[] | null;
  /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
  expires_in?: number | null;
  /** With `return`: the item; null if there was none before. */
  item?: StoredItem | null;
}

/** `POST /v1/{project}/{base}/query` */
export interface QueryItemsRequest {
  query?: ItemQuery | null;
  /** 1 or more. */
  limit?: number | null;
  /** Continue after this key. */
  last?: string | null;
  sort?: 'asc' | 'desc' | '' | null;
  /** Attribute paths, each with a `-` in front for downwards. Absent: by key. 0 to 10. */
  order?: readonly string[] | null;
  /** How many matches to skip first. Ignored with `last`. */
  offset?: number | null;
  /** True: count all matches. */
  count?: boolean | null;
  /** Only `key` and these. Absent: whole items. 0 to 1000. */
  select?: readonly string[] | null;
}

/** `POST /v1/{project}/{base}/query`, 200 */
export interface QueryItemsResponse {
  paging: {
    size: number;
    /** Pass it as `last` to get the next page. Present only if more may follow. */
    last?: string;
    /** With `count`: the number of all matches. */
    total?: number;
  };
  items: readonly StoredItem[];
}

/** `POST /v1/{project}/{base}/transactions` */
export interface TransactionRequest {
  /** All of them happen or none. 1 to 100. */
  operations: readonly TransactionRequestOperation[];
}

export type TransactionRequestOperation =
  | {
      put: NewItem;
      /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
      expires_in?: number | null;
      /** The result is the key and `item`: what was there before, or null. */
      return?: 'old' | null;
    }
  | {
      insert: NewItem;
      /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
      expires_in?: number | null;
      /** The result is the key and `item`: what was there before, or null. */
      return?: 'old' | null;
    }
  | {
      update: {
        key: string;
        /** It happens only if the item matches. */
        if?: ItemQuery | null;
        /** Path to value. */
        set?: Readonly<Record<string, unknown>> | null;
        increment?: Readonly<Record<string, number>> | null;
        append?: Readonly<Record<string, readonly unknown[]>> | null;
        prepend?: Readonly<Record<string, readonly unknown[]>> | null;
        delete?: readonly string[] | null;
        /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
        expires_in?: number | null;
        /** The item that is changed if there is none. Its key is that of the update. */
        upsert?: {
          [name: string]: unknown;
        } | null;
        /** The answer has `item` besides: as it is after the update, or as it was before. */
        return?: 'new' | 'old' | null;
      };
    }
  | {
      delete: {
        key: string;
        /** It happens only if the item matches. */
        if?: ItemQuery | null;
        /** The result is the key and `item`: what was there before, or null. */
        return?: 'old' | null;
      };
    }
  | {
      check: {
        key: string;
        /** With `null`, there must be no item. */
        if: ItemQuery | null;
      };
    };

/** `POST /v1/{project}/{base}/transactions`, 200 */
export interface TransactionResponse {
  /**
   * In the order of the operations: what each answers by itself. A check answers `{key}`, and what
   * returns the item before `{key,item}`.
   */
  results: readonly (StoredItem | UpdateItemResponse | DeleteItemResponse | ReplacedItem)[];
}

export interface ReplacedItem {
  key: string;
  item: StoredItem | null;
}

/**
 * `DELETE /v1/{project}/{base}/items?all=true`, 200; `DELETE /v1/{project}/{drive}/files?all=true`,
 * 200
 */
export interface DeleteAllResponse {
  /** Items that had expired are not counted. */
  deleted: number;
}

/** A line of the answer to an import: of a refused line, or at last the numbers. */
export interface ImportLine {
  /** Of a refused line: its number. 1 or more. */
  line?: number;
  /** Of a refused line. 1 or more. */
  errors?: readonly string[];
  /** Of a refused line. 1 or more. */
  codes?: readonly Problem[];
  /** In the last line: how many lines were stored. */
  stored?: number;
  /** In the last line. */
  failed?: number;
  /** In the last line: how many refused lines were only counted, if any. */
  unreported?: number;
}

/** What is wrong with a request, for programs. */
export interface Problem {
  code: ProblemCode;
  /** The field at fault: a member of the body, a condition, a parameter or a header. */
  path?: string;
}

/** Newer services may have more. */
export type ProblemCode =
  | 'invalid_request'
  | 'invalid_encoding'
  | 'incomplete_body'
  | 'invalid_form'
  | 'invalid_json'
  | 'bad_query'
  | 'required'
  | 'wrong_type'
  | 'invalid_value'
  | 'out_of_range'
  | 'invalid_number'
  | 'invalid_text'
  | 'invalid_attribute_path'
  | 'empty'
  | 'too_long'
  | 'too_many'
  | 'too_large'
  | 'too_deep'
  | 'unknown_member'
  | 'unknown_operator'
  | 'not_allowed'
  | 'duplicate'
  | 'contradiction'
  | 'unconfirmed'
  | 'attribute_missing'
  | 'attribute_mismatch'
  | 'too_many_indexes'
  | 'parts_missing'
  | 'part_too_small'
  | 'abandoned'
  | 'unauthorized'
  | 'access_denied'
  | 'limited_key'
  | 'beyond_scope'
  | 'beyond_prefix'
  | 'prefixed_key'
  | 'wrong_origin'
  | 'invalid_link'
  | 'not_found'
  | 'item_not_found'
  | 'file_not_found'
  | 'not_in_trash'
  | 'upload_not_found'
  | 'key_not_found'
  | 'hook_not_found'
  | 'project_not_found'
  | 'link_not_found'
  | 'changes_not_kept'
  | 'method_not_allowed'
  | 'request_timeout'
  | 'item_exists'
  | 'file_exists'
  | 'not_unique'
  | 'index_differs'
  | 'indexes_unsupported'
  | 'settings_unsupported'
  | 'too_many_keys'
  | 'hook_key_ended'
  | 'too_many_hooks'
  | 'quotas_unsupported'
  | 'project_exists'
  | 'cursor_too_old'
  | 'project_deleted'
  | 'condition_failed'
  | 'body_too_large'
  | 'unsupported_type'
  | 'range_outside'
  | 'unknown_expectation'
  | 'rate_exceeded'
  | 'too_many_requests'
  | 'memory_full'
  | 'contention'
  | 'head_too_large'
  | 'internal_error'
  | 'damaged_data'
  | 'storage_unavailable'
  | 'not_ready'
  | 'quota_exceeded';

/** `POST /v1/{project}/{base}/query/count` */
export interface CountItemsRequest {
  query?: ItemQuery | null;
}

/** `POST /v1/{project}/{base}/query/count`, 200 */
export interface CountItemsResponse {
  count: number;
}

/** `POST /v1/{project}/{base}/query/aggregate` */
export interface AggregateItemsRequest {
  query?: ItemQuery | null;
  /** 0 to 10. */
  group?: readonly GroupPath[] | null;
  /** By the names of the results, 1 to 20. */
  aggregates: Readonly<Record<string, Aggregate>>;
  /** Names of aggregates and paths of `group`, each with a `-` in front for downwards. 0 to 10. */
  order?: readonly string[] | null;
  /** The maximum number of groups of the page. 1 or more. */
  limit?: number | null;
  /** Continue after the page with this `paging.last`. */
  last?: string | null;
}

/** An attribute path, or a span of time in UTC. */
export type GroupPath =
  | string
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      hour: string;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      day: string;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      month: string;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      year: string;
    };

export type Aggregate =
  | {
      count: true;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      sum: string;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      avg: string;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      min: string;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      max: string;
    }
  | {
      /** An attribute path: `home.city`, `tags.0`. */
      distinct: string;
    };

/** `POST /v1/{project}/{base}/query/aggregate`, 200 */
export type AggregateItemsResponse =
  | {
      groups: readonly {
        group: Readonly<Record<string, unknown>>;
        /** Of each aggregate: items without such a value. */
        skipped?: Readonly<Record<string, number>>;
        /** A sum is rounded. */
        exact?: false;
        [name: string]: unknown;
      }[];
      paging: {
        size: number;
        last?: string;
      };
    }
  | {
      /** Of each aggregate: items without such a value. */
      skipped?: Readonly<Record<string, number>>;
      /** A sum is rounded. */
      exact?: false;
      [name: string]: unknown;
    };

/** `POST /v1/{project}/{base}/query/profile` */
export interface ProfileItemsRequest {
  query?: ItemQuery | null;
}

/** `POST /v1/{project}/{base}/query/profile`, 200 */
export interface ProfileResponse {
  /** The items that were read. */
  items: number;
  /** False if there are more: then these are a sample. */
  complete: boolean;
  /** From how many places among the keys the items were read. */
  places: number;
  /** False if there are more than 200 attributes. */
  all_attributes: boolean;
  /** The most frequent first. */
  attributes: readonly AttributeProfile[];
}

export interface AttributeProfile {
  /** An attribute path. */
  path: string;
  /** The items that have the attribute. */
  items: number;
  /** Of these, by type: `number`, `string`, `boolean`, `null`, `list`, `object`. */
  types: Readonly<Record<string, number>>;
  numbers?: {
    min: unknown;
    max: unknown;
  };
  /** In the order of UTF-8 bytes. Cut after 100 characters. */
  strings?: {
    min: unknown;
    max: unknown;
  };
  /** The number of different values, where all of them were counted. */
  distinct?: number;
  /** The most frequent values. 0 to 10. */
  values: readonly {
    value: unknown;
    items: number;
  }[];
}

/** `POST /v1/{project}/{base}/query/delete` */
export interface DeleteByQueryRequest {
  query?: ItemQuery | null;
  /** Must be true if the query matches every item. */
  all?: boolean | null;
  /** Only count what matches. */
  dry_run?: boolean | null;
  /** The maximum number of items to change. 1 or more. */
  limit?: number | null;
  /** Change the first of the matches in this order. Absent: by key. 0 to 10. */
  order?: readonly string[] | null;
  /** The answer has `items` besides: the deleted ones. */
  return?: 'old' | null;
}

/** `POST /v1/{project}/{base}/query/delete`, 200 */
export type DeleteByQueryResponse =
  | {
      deleted: number;
      /** With `return`: the items, in the order in which they were changed. 0 to 100. */
      items?: readonly StoredItem[];
    }
  | {
      matched: number;
    };

/** `POST /v1/{project}/{base}/query/update` */
export interface UpdateByQueryRequest {
  query?: ItemQuery | null;
  /** Must be true if the query matches every item. */
  all?: boolean | null;
  /** Only count what matches. */
  dry_run?: boolean | null;
  /** The maximum number of items to change. 1 or more. */
  limit?: number | null;
  /** Change the first of the matches in this order. Absent: by key. 0 to 10. */
  order?: readonly string[] | null;
  /** The answer has `items` besides: as they are after the update, or as they were. */
  return?: 'new' | 'old' | null;
  /** Path to value. */
  set?: Readonly<Record<string, unknown>> | null;
  increment?: Readonly<Record<string, number>> | null;
  append?: Readonly<Record<string, readonly unknown[]>> | null;
  prepend?: Readonly<Record<string, readonly unknown[]>> | null;
  delete?: readonly string[] | null;
  /** Whole seconds from now on, by the clock of the service. 0 to 315360000000. */
  expires_in?: number | null;
}

/** `POST /v1/{project}/{base}/query/update`, 200 */
export type UpdateByQueryResponse =
  | {
      updated: number;
      /** The first of the items that match, but to which the update could not be applied. 0 to 100. */
      failed: readonly {
        key: string;
        /** For people: each names the field and the rule. 1 or more. */
        errors: readonly string[];
        /** For programs: one for each of `errors`. 1 or more. */
        codes: readonly Problem[];
      }[];
      failed_count: number;
      /** With `return`: the items, in the order in which they were changed. 0 to 100. */
      items?: readonly StoredItem[];
    }
  | {
      matched: number;
    };

/** `PUT /v1/{project}/{base}/indexes/{index}` */
export interface DeclareIndexRequest {
  /** 1 to 4. */
  fields: readonly string[];
  /** True: no two items may have equal values of all fields. */
  unique?: boolean;
  /** True: of one field, whose value is a list, for `?has` and `?contains`. */
  each?: boolean;
}

/** `PUT /v1/{project}/{base}/indexes/{index}`, 200; `PUT /v1/{project}/{base}/indexes/{index}`, 202 */
export interface IndexInfo {
  name: string;
  fields: readonly string[];
  /** True: no two items have equal values of all fields. */
  unique?: boolean;
  /** True: each different element of a list has an entry. */
  each?: boolean;
  /** Queries use an index when it is ready. */
  state: 'building' | 'ready' | 'failed';
  /** Of a unique index that failed: the first keys of items with equal values. */
  collisions?: readonly string[];
}

/** `GET /v1/{project}/{base}/indexes`, 200 */
export interface ListIndexesResponse {
  indexes: readonly CountedIndexInfo[];
}

export interface CountedIndexInfo {
  name: string;
  fields: readonly string[];
  /** True: no two items have equal values of all fields. */
  unique?: boolean;
  /** True: each different element of a list has an entry. */
  each?: boolean;
  /** Queries use an index when it is ready. */
  state: 'building' | 'ready' | 'failed';
  /** Of a unique index that failed: the first keys of items with equal values. */
  collisions?: readonly string[];
  /** Their number: one for each item, or with `each` for each different element. */
  entries: number;
  /** False if not all entries were counted: then there are more. */
  exact: boolean;
  /** The queries that this server has answered by it since it has started. */
  uses: number;
  /** When it was the last time, in whole seconds since 1970 UTC. */
  used_at?: number;
}

/** `DELETE /v1/{project}/{base}/indexes/{index}`, 200 */
export interface DropIndexResponse {
  name: string;
}

/** `POST /v1/{project}/{drive}/files`, 201; `POST /links/{token}/{file}`, 201 */
export interface PutFileResponse {
  name: string;
  project_id: string;
  drive_name: string;
}

/** `GET /v1/{project}/{drive}/files`, 200 */
export interface ListFilesResponse {
  paging?: Paging;
  names: readonly string[];
  /** Present only with `details=true`: the same names in the same order. */
  files?: readonly FileDetails[];
}

export interface Paging {
  size: number;
  last: string;
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
  /** What a program has noted of the file. Absent: nothing. */
  metadata?: Readonly<Record<string, string>>;
  /** The headers that were given with the bytes. Absent: none. */
  headers?: Readonly<Record<string, string>>;
  /**
   * The MD5 of the bytes, 32 hexadecimal digits; of a file of S3 parts that of their MD5s, `-`, and
   * their number. Absent: unknown.
   */
  md5?: string;
  /**
   * The checksum that an S3 client gave, as base64; that of the checksums of parts ends in `-` and their
   * number.
   */
  checksum?: {
    algorithm: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';
    value: string;
  };
}

/** `GET /v1/{project}/{drive}/files/parts`, 200 */
export interface FileParts {
  name: string;
  /** The value of the header `ETag`, with its quotes. */
  etag: string;
  /** In their order. */
  parts: readonly {
    /** Bytes. */
    size: number;
    /**
     * The checksum that an S3 client gave, as base64; that of the checksums of parts ends in `-` and their
     * number.
     */
    checksum?: {
      algorithm: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';
      value: string;
    };
  }[];
}

/** `PATCH /v1/{project}/{drive}/files` */
export interface ChangeFileRequest {
  /** Whole seconds since 1970 UTC; null: the file does not expire. */
  expires?: number | null;
  /** Or for how many seconds from now on the file is kept. 0 to 315360000000. */
  expires_in?: number;
  content_type?: string;
  /** What to note of the file. null takes a name away, or all. */
  metadata?: Readonly<Record<string, string | null>> | null;
}

/** `PATCH /v1/{project}/{drive}/files`, 200 */
export interface ChangeFileResponse {
  name: string;
  /** Bytes. */
  size: number;
  content_type: string;
  /** When the bytes were written: whole seconds since 1970 UTC. */
  modified: number;
  /** The value of the header `ETag`, with its quotes. */
  etag: string;
  /** Whole seconds since 1970 UTC. From then on the file no longer exists. Absent: it does not expire. */
  expires?: number;
  /** What a program has noted of the file. Absent: nothing. */
  metadata?: Readonly<Record<string, string>>;
  /** The headers that were given with the bytes. Absent: none. */
  headers?: Readonly<Record<string, string>>;
  /**
   * The MD5 of the bytes, 32 hexadecimal digits; of a file of S3 parts that of their MD5s, `-`, and
   * their number. Absent: unknown.
   */
  md5?: string;
  /**
   * The checksum that an S3 client gave, as base64; that of the checksums of parts ends in `-` and their
   * number.
   */
  checksum?: {
    algorithm: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';
    value: string;
  };
}

/** `POST /v1/{project}/{drive}/files/move`; `POST /v1/{project}/{drive}/files/copy` */
export interface TransferFilesRequest {
  /** 1 to 1000. */
  files: readonly {
    from: string;
    to: string;
  }[];
  /** Whether files named `to` are replaced; otherwise they are a conflict. */
  overwrite?: boolean | null;
}

/** `POST /v1/{project}/{drive}/files/move`, 200 */
export interface MoveFilesResponse {
  moved: number;
}

/** `POST /v1/{project}/{drive}/files/copy`, 200 */
export interface CopyFilesResponse {
  copied: number;
}

/** `DELETE /v1/{project}/{drive}/files` */
export interface DeleteFilesRequest {
  /** 1 to 1000. */
  names: readonly string[];
}

/** `DELETE /v1/{project}/{drive}/files`, 200 */
export interface DeleteFilesResponse {
  /** The names that no longer exist, those that never existed included. */
  deleted: readonly string[];
  /** The names that were not deleted, each with the reason. */
  failed: Readonly<Record<string, string>>;
}

/** `GET /v1/{project}/{drive}/trash`, 200 */
export interface ListTrashResponse {
  paging?: Paging;
  files: readonly TrashedFile[];
}

export interface TrashedFile {
  /** With which it comes back. */
  id: string;
  name: string;
  /** Bytes. */
  size: number;
  content_type: string;
  /** When the bytes were written: whole seconds since 1970 UTC. */
  modified: number;
  /** The value of the header `ETag`, with its quotes. */
  etag: string;
  /** From when on it can not come back: whole seconds since 1970 UTC. */
  expires: number;
  /** What a program has noted of the file. Absent: nothing. */
  metadata?: Readonly<Record<string, string>>;
  /** The headers that were given with the bytes. Absent: none. */
  headers?: Readonly<Record<string, string>>;
  /**
   * The MD5 of the bytes, 32 hexadecimal digits; of a file of S3 parts that of their MD5s, `-`, and
   * their number. Absent: unknown.
   */
  md5?: string;
  /**
   * The checksum that an S3 client gave, as base64; that of the checksums of parts ends in `-` and their
   * number.
   */
  checksum?: {
    algorithm: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';
    value: string;
  };
  /** When it was deleted or overwritten: whole seconds since 1970 UTC. */
  deleted: number;
}

/** `POST /v1/{project}/{drive}/trash/restore` */
export interface RestoreFilesRequest {
  /** 1 to 1000. */
  files: readonly {
    id: string;
    /** Default: the name that it had. */
    name?: string;
  }[];
  /** Whether files of these names are replaced; they come to the trash then. */
  overwrite?: boolean | null;
}

/** `POST /v1/{project}/{drive}/trash/restore`, 200 */
export interface RestoreFilesResponse {
  restored: number;
}

/** `DELETE /v1/{project}/{drive}/trash` */
export interface EmptyTrashRequest {
  /** 1 to 1000. */
  ids: readonly string[];
}

/** `DELETE /v1/{project}/{drive}/trash`, 200; `DELETE /v1/{project}/{drive}/trash?all=true`, 200 */
export interface EmptyTrashResponse {
  deleted: number;
}

/**
 * `POST /v1/{project}/{drive}/uploads`, 202; `PATCH /v1/{project}/{drive}/uploads/{upload_id}`, 200;
 * `DELETE /v1/{project}/{drive}/uploads/{upload_id}`, 200; `POST /links/{token}/{file}/uploads`, 202;
 * `PATCH /links/{token}/{file}/uploads/{upload_id}`, 200; `DELETE
 * /links/{token}/{file}/uploads/{upload_id}`, 200
 */
export interface UploadResponse {
  name: string;
  upload_id: string;
  project_id: string;
  drive_name: string;
}

/**
 * `POST /v1/{project}/{drive}/uploads/{upload_id}/parts`, 200; `POST
 * /links/{token}/{file}/uploads/{upload_id}/parts`, 200
 */
export interface UploadPartResponse {
  name: string;
  upload_id: string;
  /** 1 to 10000. */
  part: number;
  project_id: string;
  drive_name: string;
}

/** `GET /v1/{project}/{drive}/uploads`, 200 */
export interface ListUploadsResponse {
  paging?: Paging;
  uploads: readonly OpenUpload[];
}

export interface OpenUpload {
  upload_id: string;
  name: string;
}

/** `GET /v1/{project}/{drive}/uploads/{upload_id}`, 200 */
export interface GetUploadResponse {
  upload_id: string;
  name: string;
  /** In the order of their numbers. */
  parts: readonly {
    part: number;
    size: number;
  }[];
}

/** `POST /v1/{project}/{drive}/links`. Either `name` or `names`. */
export type CreateLinksRequest =
  | {
      name?: string;
      /** 1 to 1000. */
      names?: readonly string[];
      /**
       * Seconds for which the links are valid: at most 7 days, unless the operator allows more. 1 to
       * 31622400.
       */
      expires_in: number;
      /** Whether the drive lists the links, and can end each of them; default false. */
      listed?: boolean;
      method: 'GET';
      /** Whether a browser shows or saves the file; default `inline`. */
      disposition?: 'inline' | 'attachment';
    }
  | {
      name?: string;
      /** 1 to 1000. */
      names?: readonly string[];
      /**
       * Seconds for which the links are valid: at most 7 days, unless the operator allows more. 1 to
       * 31622400.
       */
      expires_in: number;
      /** Whether the drive lists the links, and can end each of them; default false. */
      listed?: boolean;
      method: 'POST';
      /**
       * The maximum size of the file, up to 10 MiB, which is the default; with `parts` more, and required. 0
       * to 104857600000.
       */
      max_bytes?: number;
      /** Whether the file may be sent in parts; default false. */
      parts?: boolean;
      /** `image/png` or `image/*`; default: any. */
      content_type?: string;
      /** Whether an existing file is replaced; default false. */
      overwrite?: boolean;
    };

/** `POST /v1/{project}/{drive}/links`, 201 */
export interface CreateLinksResponse {
  links: readonly FileLink[];
}

/** A URL that allows one file to be read or stored without a key. */
export interface FileLink {
  /** Of a link that the drive lists. */
  id?: string;
  name: string;
  url: string;
  /** Whole seconds since 1970 UTC: from then on the link is not valid. */
  expires: number;
}

/** `GET /v1/{project}/{drive}/links`, 200 */
export interface ListLinksResponse {
  paging?: Paging;
  links: readonly ListedFileLink[];
}

export interface ListedFileLink {
  id: string;
  name: string;
  url: string;
  method: 'GET' | 'POST';
  /** Whole seconds since 1970 UTC. */
  created: number;
  /** Whole seconds since 1970 UTC. */
  expires: number;
  disposition?: 'inline' | 'attachment';
  max_bytes?: number;
  content_type?: string;
  parts?: boolean;
  overwrite?: boolean;
}

/** `DELETE /v1/{project}/{drive}/links`, 200 */
export interface EndLinkResponse {
  id: string;
}

/** `GET /links/{token}/{file}/uploads/{upload_id}`, 200 */
export interface GetLinkedUploadResponse {
  upload_id: string;
  name: string;
  /** In the order of their numbers. */
  parts: readonly {
    part: number;
    size: number;
  }[];
}

/** `GET /v1/{project}/{drive}/public`, 200; `PUT /v1/{project}/{drive}/public`, 200 */
export interface PublicPrefixesResponse {
  prefixes: readonly string[];
  max_age: number;
}

/** `PUT /v1/{project}/{drive}/public` */
export interface PublicPrefixesRequest {
  /** The files whose names begin with one of them are public. 0 to 100. */
  prefixes: readonly string[];
  /** For how many seconds caches may keep a public file; default 60. 0 to 31536000. */
  max_age?: number | null;
}

/** `GET /v1/{project}/bases`, 200 */
export interface ListBasesResponse {
  paging?: Paging;
  bases: readonly string[];
  details?: readonly BaseDetails[];
}

export interface BaseDetails {
  name: string;
  items?: number;
  bytes?: number;
  /** Whether the numbers are those of now. */
  exact: boolean;
  /** If not: when they were counted, in seconds since 1970 UTC. */
  as_of?: number;
}

/** `GET /v1/{project}/drives`, 200 */
export interface ListDrivesResponse {
  paging?: Paging;
  drives: readonly string[];
  details?: readonly DriveDetails[];
}

export interface DriveDetails {
  name: string;
  files?: number;
  bytes?: number;
  /** Whether the numbers are those of now. */
  exact: boolean;
  /** If not: when they were counted, in seconds since 1970 UTC. */
  as_of?: number;
}

/** `GET /v1/{project}/{name}/stats`, 200 */
export interface StatsResponse {
  base: BaseStats;
  drive: DriveStats;
}

export interface BaseStats {
  /** Absent if nobody has counted them yet. */
  items?: number;
  /** Of the stored JSON of the items. */
  bytes?: number;
  /** Whether the numbers are those of now. */
  exact: boolean;
  /** If not: when they were counted, in seconds since 1970 UTC. */
  as_of?: number;
}

export interface DriveStats {
  /** Absent if nobody has counted them yet. */
  files?: number;
  /** Of the contents of the files. */
  bytes?: number;
  /** Whether the numbers are those of now. */
  exact: boolean;
  /** If not: when they were counted, in seconds since 1970 UTC. */
  as_of?: number;
  /** In the trash. Absent: none. */
  trash_files?: number;
  /** Of the contents of the files in the trash. Absent: none. */
  trash_bytes?: number;
}

/** `GET /v1/{project}/activity`, 200. The requests of the project that this server answered. */
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

/** `GET /v1/{project}/activity?details=true`, 200 */
export interface ActivityDetails {
  /** The start of the server: nothing from before it is known. */
  since: number;
  /** The minutes of the last hour that had requests. */
  hour: readonly ActivityPoint[];
  /** The quarters of an hour of the last day that had requests. */
  day: readonly ActivityPoint[];
  /** Up to 100 requests, the newest first. */
  latest: readonly LatestRequest[];
  /** Up to 50, those that were slow last first. */
  slow_queries: readonly SlowQuery[];
  /** Up to 400 points, the oldest first. */
  storage: readonly StoragePoint[];
}

/** The requests of a minute or a quarter of an hour. */
export interface ActivityPoint {
  /** When it began, in whole seconds since 1970 UTC. */
  at: number;
  requests: number;
  /** Of these, those with 400 to 499. */
  refused: number;
  /** Of these, those with 500 or a higher status. */
  failed: number;
  /** Milliseconds that half of the requests took at most. Absent without requests. */
  p50_ms?: number;
  /** Milliseconds that 99 of 100 requests took at most. Absent without requests. */
  p99_ms?: number;
}

export interface LatestRequest {
  /** When it was answered. */
  at: number;
  /** Milliseconds until the answer was sent. */
  ms: number;
  method: string;
  /** With the names of the project and of the base or drive. `{key}` stands for a key. */
  path: string;
  /** 100 to 599. */
  status: number;
  /** The id of the key, as in List Keys. */
  key_id: string;
}

/** Queries that differ only in their operands. */
export interface SlowQuery {
  base: string;
  conditions: readonly string[];
  order: readonly string[];
  /** Whether it counted all matches. */
  counted: boolean;
  /** How often such a query was slow. */
  times: number;
  /** When it was answered last. */
  at: number;
  /** Milliseconds of the slowest one. */
  max_ms: number;
  /** Items that the latest one read. */
  items: number;
  /** The index that the latest one used. */
  index?: string;
  /** The fields of an index that would help. */
  suggestion?: readonly string[];
}

export interface StoragePoint {
  /** When it was measured. */
  at: number;
  items: number;
  item_bytes: number;
  files: number;
  file_bytes: number;
  /** False if a part was estimated, or left out. */
  exact: boolean;
}

/** `GET /v1/{project}/{name}/settings`, 200; `PUT /v1/{project}/{name}/settings`, 200 */
export interface SettingsResponse {
  /** How long the trash keeps files; null: there is none. */
  trash: string | null;
  /** Whether the base is to be counted, whatever indexes it has. */
  counted: boolean;
  /** True if the drive exists also while it has no file; absent if not. */
  kept?: boolean;
  /** Where the drive is; absent: nowhere in particular. */
  location?: string;
}

/** `PUT /v1/{project}/{name}/settings` */
export interface SettingsRequest {
  /**
   * How long deleted and overwritten files can come back: `30d`; `0s`: not at all; null: as the server
   * is set.
   */
  trash?: string | null;
  /** Whether each write keeps the number of items in step. */
  counted?: boolean;
  /** Whether the drive exists also while it has no file. */
  kept?: boolean;
  /** Where the drive is, such as `eu-west-1`: the region of the bucket. Needs `kept`. */
  location?: string;
}

/** `GET /v1/{project}/changes`, 200 */
export interface ListChangesResponse {
  changes: readonly {
    /** With `key`: an item. */
    base?: string;
    key?: string;
    /** With `name`: a file. */
    drive?: string;
    name?: string;
    type: 'put' | 'delete';
    item?: StoredItem;
    file?: {
      name: string;
      /** Bytes. */
      size: number;
      content_type: string;
      /** When the bytes were written: whole seconds since 1970 UTC. */
      modified: number;
      /** The value of the header `ETag`, with its quotes. */
      etag: string;
      /** Whole seconds since 1970 UTC. From then on the file no longer exists. Absent: it does not expire. */
      expires?: number;
      /** What a program has noted of the file. Absent: nothing. */
      metadata?: Readonly<Record<string, string>>;
      /** The headers that were given with the bytes. Absent: none. */
      headers?: Readonly<Record<string, string>>;
      /**
       * The MD5 of the bytes, 32 hexadecimal digits; of a file of S3 parts that of their MD5s, `-`, and
       * their number. Absent: unknown.
       */
      md5?: string;
      /**
       * The checksum that an S3 client gave, as base64; that of the checksums of parts ends in `-` and their
       * number.
       */
      checksum?: {
        algorithm: 'CRC32' | 'CRC32C' | 'CRC64NVME' | 'SHA1' | 'SHA256';
        value: string;
      };
    };
    /** The same for all changes of a transaction. Absent in a snapshot. */
    tx?: string;
  }[];
  /** Pass it as `since` to go on. */
  cursor: string;
  /** True: nothing more is there for now. */
  live: boolean;
}

/** `POST /v1/{project}/changes/tickets` */
export interface CreateTicketRequest {
  since?: string | null;
  bases?: readonly string[] | null;
  drives?: readonly string[] | null;
  prefix?: string | null;
  query?: ItemQuery | null;
  values?: boolean | null;
}

/** `POST /v1/{project}/changes/tickets`, 201 */
export interface CreateTicketResponse {
  url: string;
  /** Until then the stream may be opened. */
  expires: number;
}

/** `GET /v1/{project}/shape`, 200; `GET /v1/{project}/shape`, 409 */
export type GetShapeResponse = readonly {
  /** The key of an item. */
  key?: string;
  /** The item; of a deletion, only its key. */
  value?: unknown;
  /**
   * `operation`: `insert` or `delete`, with the numbers of its transaction in `txids`. `control`:
   * `snapshot-end`, with `xmin`, `xmax` and `xip_list`, `up-to-date` or `must-refetch`.
   */
  headers: {
    operation?: string;
    txids?: readonly number[];
    control?: string;
    xmin?: string;
    xmax?: string;
    xip_list?: readonly string[];
  };
}[];

/** `POST /v1/{project}/hooks` */
export interface CreateHookRequest {
  /** Where changes are sent: `https://` or `http://`. */
  url: string;
  /** What people call it. */
  name?: string | null;
  bases?: readonly string[] | null;
  drives?: readonly string[] | null;
  prefix?: string | null;
  query?: ItemQuery | null;
  values?: boolean | null;
  /** Where it begins: `now`, `0` for everything that is there and then what changes, or a cursor. */
  since?: string | null;
}

/** `POST /v1/{project}/hooks`, 201 */
export interface CreateHookResponse {
  id: string;
  url: string;
  name?: string;
  /** The id of the key that made it. */
  key: string;
  /** Whole seconds since 1970 UTC. */
  created: number;
  bases?: readonly string[];
  drives?: readonly string[];
  prefix?: string;
  query?: ItemQuery;
  values?: boolean;
  /** docs/http.md#states-of-a-webhook. */
  state: 'active' | 'failing' | 'paused' | 'gone' | 'too_old' | 'key_ended';
  /** For how many seconds the oldest change waits that was not delivered. */
  lag: number;
  /** What was before it has been delivered. */
  cursor: string;
  last?: {
    /** When the last message was sent. */
    at: number;
    /** The status of the answer. */
    status?: number;
    /** Why there is no answer. */
    error?:
      | 'address_refused'
      | 'name_not_found'
      | 'connection_refused'
      | 'connection_failed'
      | 'certificate_invalid'
      | 'timeout';
  };
  /** Whole seconds since 1970 UTC. */
  failing_since?: number;
  /** How often in a row. */
  failures?: number;
  /** Whole seconds since 1970 UTC. */
  next_attempt?: number;
  /** Whole seconds since 1970 UTC. */
  stopped_since?: number;
  /** What messages are signed with: `whsec_…`. */
  secret: string;
}

/** `GET /v1/{project}/hooks`, 200 */
export interface ListHooksResponse {
  hooks: readonly Webhook[];
}

/** `PATCH /v1/{project}/hooks/{hook}`, 200 */
export interface Webhook {
  id: string;
  url: string;
  name?: string;
  /** The id of the key that made it. */
  key: string;
  /** Whole seconds since 1970 UTC. */
  created: number;
  bases?: readonly string[];
  drives?: readonly string[];
  prefix?: string;
  query?: ItemQuery;
  values?: boolean;
  /** docs/http.md#states-of-a-webhook. */
  state: 'active' | 'failing' | 'paused' | 'gone' | 'too_old' | 'key_ended';
  /** For how many seconds the oldest change waits that was not delivered. */
  lag: number;
  /** What was before it has been delivered. */
  cursor: string;
  last?: {
    /** When the last message was sent. */
    at: number;
    /** The status of the answer. */
    status?: number;
    /** Why there is no answer. */
    error?:
      | 'address_refused'
      | 'name_not_found'
      | 'connection_refused'
      | 'connection_failed'
      | 'certificate_invalid'
      | 'timeout';
  };
  /** Whole seconds since 1970 UTC. */
  failing_since?: number;
  /** How often in a row. */
  failures?: number;
  /** Whole seconds since 1970 UTC. */
  next_attempt?: number;
  /** Whole seconds since 1970 UTC. */
  stopped_since?: number;
}

/** `PATCH /v1/{project}/hooks/{hook}` */
export interface ChangeHookRequest {
  /** Where changes are sent: `https://` or `http://`. */
  url?: string;
  /** What people call it. */
  name?: string | null;
  paused?: boolean;
  /** Where it begins: `now`, `0` for everything that is there and then what changes, or a cursor. */
  since?: string;
}

/** `DELETE /v1/{project}/hooks/{hook}`, 200 */
export interface DeleteHookResponse {
  id: string;
}

/** `POST /v1/{project}/hooks/{hook}/test`, 200 */
export interface TestHookResponse {
  /** Whether the status was 200 to 299. */
  delivered: boolean;
  /** The status of the answer. */
  status?: number;
  /** Why there is no answer. */
  error?:
    | 'address_refused'
    | 'name_not_found'
    | 'connection_refused'
    | 'connection_failed'
    | 'certificate_invalid'
    | 'timeout';
}

/** `POST /v1/{project}/keys`. What is absent is not limited. Without `access`: `full`. */
export interface CreateKeyRequest {
  /** What people call the key. */
  name?: string;
  access?: Access;
  /** Names of bases. One that ends in `*` stands for all names that begin so. 1 to 100. */
  bases?: readonly string[];
  /** As `bases`. A key with one of both lists reaches nothing of the other kind. 1 to 100. */
  drives?: readonly string[];
  /** What the keys of items and the names of files begin with. */
  prefix?: string;
  /** The origins of web pages that may use the key: `https://shop.example`. 1 to 20. */
  origins?: readonly string[];
  /** 0.01 to 1000000. */
  requests_per_second?: number;
  /** Seconds from now on for which the key is valid. 1 to 315360000. */
  expires_in?: number;
  /** false: the key is signed and not stored. It is in no list, and ends with the key that made it. */
  stored?: boolean;
  /** Whether the key gets S3 credentials, too: docs/s3.md. */
  s3?: boolean;
}

/** Each includes those after it. */
export type Access = 'full' | 'write' | 'read';

/** `POST /v1/{project}/keys`, 201 */
export interface CreateKeyResponse {
  id: string;
  /** Of the S3 credentials of the key, if it has some. */
  access_key_id?: string;
  /** What people call the key. */
  name?: string;
  access: Access;
  /** Names of bases. One that ends in `*` stands for all names that begin so. 1 to 100. */
  bases?: readonly string[];
  /** As `bases`. A key with one of both lists reaches nothing of the other kind. 1 to 100. */
  drives?: readonly string[];
  /** What the keys of items and the names of files begin with. */
  prefix?: string;
  /** The origins of web pages that may use the key: `https://shop.example`. 1 to 20. */
  origins?: readonly string[];
  /** 0.01 to 1000000. */
  requests_per_second?: number;
  /** Whole seconds since 1970 UTC. */
  created: number;
  /** Whole seconds since 1970 UTC. From then on the key is not valid. */
  expires?: number;
  /** The beginning of the minute of the last use, in seconds since 1970 UTC. */
  last_used?: number;
  /** The key itself. No other answer has it. */
  key: string;
  /** Of its S3 credentials. No other answer has it. */
  secret_access_key?: string;
}

/** `GET /v1/{project}/keys`, 200 */
export interface ListKeysResponse {
  paging?: Paging;
  keys: readonly KeyDetails[];
}

export interface KeyDetails {
  id: string;
  /** Of the S3 credentials of the key, if it has some. */
  access_key_id?: string;
  /** What people call the key. */
  name?: string;
  access: Access;
  /** Names of bases. One that ends in `*` stands for all names that begin so. 1 to 100. */
  bases?: readonly string[];
  /** As `bases`. A key with one of both lists reaches nothing of the other kind. 1 to 100. */
  drives?: readonly string[];
  /** What the keys of items and the names of files begin with. */
  prefix?: string;
  /** The origins of web pages that may use the key: `https://shop.example`. 1 to 20. */
  origins?: readonly string[];
  /** 0.01 to 1000000. */
  requests_per_second?: number;
  /** Whole seconds since 1970 UTC. */
  created: number;
  /** Whole seconds since 1970 UTC. From then on the key is not valid. */
  expires?: number;
  /** The beginning of the minute of the last use, in seconds since 1970 UTC. */
  last_used?: number;
}

/** `GET /v1/{project}/keys?self=true`, 200 */
export interface OwnKeyResponse {
  id: string;
  /** Of the S3 credentials of the key, if it has some. */
  access_key_id?: string;
  /** What people call the key. */
  name?: string;
  access: Access;
  /** Names of bases. One that ends in `*` stands for all names that begin so. 1 to 100. */
  bases?: readonly string[];
  /** As `bases`. A key with one of both lists reaches nothing of the other kind. 1 to 100. */
  drives?: readonly string[];
  /** What the keys of items and the names of files begin with. */
  prefix?: string;
  /** The origins of web pages that may use the key: `https://shop.example`. 1 to 20. */
  origins?: readonly string[];
  /** 0.01 to 1000000. */
  requests_per_second?: number;
  /** Absent for a key that the server was started with. */
  created?: number;
  /** Whole seconds since 1970 UTC. From then on the key is not valid. */
  expires?: number;
  /** The beginning of the minute of the last use, in seconds since 1970 UTC. */
  last_used?: number;
  /** Whether it may create, list and delete keys: it has no limit. */
  manages_keys: boolean;
  /** For how many seconds its links may work. Absent: it makes none. 1 or more. */
  max_link_seconds?: number;
}

/** `DELETE /v1/{project}/keys`, 200 */
export interface DeleteKeyResponse {
  id: string;
}

/** `GET /v1/{project}/stats`, 200 */
export interface ProjectStatsResponse {
  name: string;
  items: number;
  /** Of the stored JSON of the items. */
  item_bytes: number;
  files: number;
  /** Of files, those in the trash, and the parts of open uploads. */
  file_bytes: number;
  /** Of `file_bytes`: in the trash. */
  trash_bytes: number;
  /** Of `file_bytes`: the parts of open uploads. */
  upload_bytes: number;
  quota?: {
    /** 0 to 9007199254740991. */
    items?: number;
    /** Of the stored JSON of all items. 0 to 9007199254740991. */
    item_bytes?: number;
    /** With a name: those in the trash do not count. 0 to 9007199254740991. */
    files?: number;
    /** Of files, those in the trash, and the parts of open uploads. 0 to 9007199254740991. */
    file_bytes?: number;
    /** Over all keys of the project. 0.01 to 1000000. */
    requests_per_second?: number;
  };
  /** false: a base was counted earlier, or not yet. */
  exact: boolean;
}

export interface ErrorBody {
  /** For people: each names the field and the rule. 1 or more. */
  errors: readonly string[];
  /** For programs: one for each of `errors`. 1 or more. */
  codes: readonly Problem[];
}

/** `GET /v1/{project}/{base}/items/{key}`, 200 */
export type GetItemResponse = StoredItem;

/** `POST /v1/{project}/{base}/items`, 201 */
export type InsertItemResponse = StoredItem;

/** `POST /v1/{project}/{base}/transactions` */
export type RunTransactionRequest = TransactionRequest;

/** `POST /v1/{project}/{base}/transactions`, 200 */
export type RunTransactionResponse = TransactionResponse;

/** `DELETE /v1/{project}/{base}/items?all=true`, 200 */
export type DeleteAllItemsResponse = DeleteAllResponse;

/** `POST /v1/{project}/{base}/query/profile`, 200 */
export type ProfileItemsResponse = ProfileResponse;

/** `PUT /v1/{project}/{base}/indexes/{index}`, 202 */
export type DeclareIndexResponse = IndexInfo;

/** `GET /v1/{project}/{drive}/files/parts`, 200 */
export type FilePartsResponse = FileParts;

/** `POST /v1/{project}/{drive}/files/move` */
export type MoveFilesRequest = TransferFilesRequest;

/** `POST /v1/{project}/{drive}/files/copy` */
export type CopyFilesRequest = TransferFilesRequest;

/** `DELETE /v1/{project}/{drive}/files?all=true`, 200 */
export type DeleteAllFilesResponse = DeleteAllResponse;

/** `DELETE /v1/{project}/{drive}/trash` */
export type DeleteFromTrashRequest = EmptyTrashRequest;

/** `DELETE /v1/{project}/{drive}/trash`, 200 */
export type DeleteFromTrashResponse = EmptyTrashResponse;

/** `POST /v1/{project}/{drive}/uploads`, 202 */
export type InitializeUploadResponse = UploadResponse;

/** `PATCH /v1/{project}/{drive}/uploads/{upload_id}`, 200 */
export type EndUploadResponse = UploadResponse;

/** `DELETE /v1/{project}/{drive}/uploads/{upload_id}`, 200 */
export type AbortUploadResponse = UploadResponse;

/** `POST /links/{token}/{file}`, 201 */
export type StoreLinkedFileResponse = PutFileResponse;

/** `POST /links/{token}/{file}/uploads`, 202 */
export type InitializeLinkedUploadResponse = UploadResponse;

/** `POST /links/{token}/{file}/uploads/{upload_id}/parts`, 200 */
export type UploadLinkedPartResponse = UploadPartResponse;

/** `PATCH /links/{token}/{file}/uploads/{upload_id}`, 200 */
export type EndLinkedUploadResponse = UploadResponse;

/** `DELETE /links/{token}/{file}/uploads/{upload_id}`, 200 */
export type AbortLinkedUploadResponse = UploadResponse;

/** `GET /v1/{project}/{drive}/public`, 200 */
export type GetPublicPrefixesResponse = PublicPrefixesResponse;

/** `PUT /v1/{project}/{drive}/public` */
export type SetPublicPrefixesRequest = PublicPrefixesRequest;

/** `PUT /v1/{project}/{drive}/public`, 200 */
export type SetPublicPrefixesResponse = PublicPrefixesResponse;

/** `GET /v1/{project}/{name}/stats`, 200 */
export type GetStatisticsResponse = StatsResponse;

/** `GET /v1/{project}/activity`, 200 */
export type GetActivityResponse = ActivityResponse;

/** `GET /v1/{project}/activity?details=true`, 200 */
export type GetActivityDetailsResponse = ActivityDetails;

/** `GET /v1/{project}/{name}/settings`, 200 */
export type GetSettingsResponse = SettingsResponse;

/** `PUT /v1/{project}/{name}/settings` */
export type SetSettingsRequest = SettingsRequest;

/** `PUT /v1/{project}/{name}/settings`, 200 */
export type SetSettingsResponse = SettingsResponse;

/** `PATCH /v1/{project}/hooks/{hook}`, 200 */
export type ChangeHookResponse = Webhook;

/** `GET /v1/{project}/keys?self=true`, 200 */
export type GetOwnKeyResponse = OwnKeyResponse;

/** `GET /v1/{project}/stats`, 200 */
export type GetProjectStatisticsResponse = ProjectStatsResponse;
