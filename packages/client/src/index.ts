export type {
  AggregateOptions,
  AggregateResults,
  Aggregates,
  GroupBy,
  GroupedResults,
} from './base/aggregate.js';
export type {
  ClaimOptions,
  DeleteWhereResult,
  FetchOptions,
  FetchResult,
  ItemsOptions,
  LiveOptions,
  PutAllOptions,
  PutAllProgress,
  PutAllResult,
  PutManyResult,
  Selecting,
  SetOptions,
  UpdateOptions,
  UpdateWhereResult,
  WriteOptions,
} from './base/base-options.js';
export type {
  ExportLinesOptions,
  ExportLinesProgress,
  ExportOptions,
  FailedLine,
  ImportLinesOptions,
  ImportLinesProgress,
  ImportLinesResult,
  ImportOptions,
  ImportProgress,
} from './base/bulk.js';
export type { Condition, Operation, Operations, Returning, TransactionResults } from './base/transaction.js';
export { type Action, type Updates, type Util, util } from './base/update.js';
export type {
  ByteRange,
  DeleteFilesOptions,
  DeleteManyResult,
  DriveSettings,
  FileChanges,
  FileOrder,
  FileTransfer,
  GetFileOptions,
  ListOptions,
  ListResult,
  LiveFilesOptions,
  MoveOptions,
  NamesOptions,
  PutFileOptions,
  RestoredFile,
  ResumeOptions,
  TransferOptions,
  TrashOptions,
} from './drive/drive.js';
export type { DriveFile } from './drive/drive-file.js';
export type { FileMetadata } from './drive/metadata.js';
export type { GetFileProgress, PutFileProgress } from './drive/progress.js';
export type { LinkOptions, ListLinksOptions, PublishOptions, UploadLinkOptions } from './drive/sharing.js';
export { type LinkUploadOptions, uploadByLink } from './drive/upload-by-link.js';
export type {
  ChangeLine,
  ChangesOptions,
  ChangesPage,
  ChangesPageOptions,
  FileChange,
  ItemChange,
  ItemChangesOptions,
  Live,
  ProjectChangesOptions,
} from './feed/changes.js';
export type { LiveQuery } from './feed/live.js';
export type { BasedriveOptions, CallOptions, RetryOptions } from './http/endpoint.js';
export { BasedriveError, type ErrorCode } from './http/error.js';
export type { FileData, FileSource } from './http/source.js';
export type * from './http-types.js';
export type * from './items/attribute-paths.js';
export type { Expiry } from './items/expiry.js';
export type { Data, Item, Storable } from './items/item.js';
export type { Conditions, OrderPath, PlainPath, Query, Selected, SelectPath } from './items/query.js';
export { Base, Basedrive, Basedrive as Deta, Drive, type OpenOptions } from './open.js';
export type { CatalogOptions } from './project/catalog.js';
export type { KeyPageOptions, Keys, NewKey } from './project/keys.js';
export type { NewWebhook, WebhookChange, Webhooks } from './project/webhooks.js';
