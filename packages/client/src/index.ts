export type {
  AggregateOptions,
  AggregateResults,
  Aggregates,
  GroupBy,
  GroupedResults,
} from './aggregate.js';
export type * from './attribute-paths.js';
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
} from './base-options.js';
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
} from './bulk.js';
export type { CatalogOptions } from './catalog.js';
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
} from './changes.js';
export type {
  ByteRange,
  DeleteFilesOptions,
  DeleteManyResult,
  DriveSettings,
  FileChanges,
  FileData,
  FileOrder,
  FileSource,
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
} from './drive.js';
export type { DriveFile } from './drive-file.js';
export type { BasedriveOptions, CallOptions, RetryOptions } from './endpoint.js';
export { BasedriveError, type ErrorCode } from './error.js';
export type * from './http-types.js';
export type { Data, Expiry, Item, Storable } from './item.js';
export type { KeyPageOptions, Keys, NewKey } from './keys.js';
export type { LiveQuery } from './live.js';
export type { FileMetadata } from './metadata.js';
export { Base, Basedrive, Basedrive as Deta, Drive, type OpenOptions } from './open.js';
export type { GetFileProgress, PutFileProgress } from './progress.js';
export type { Conditions, OrderPath, PlainPath, Query, Selected, SelectPath } from './query.js';
export type { LinkOptions, ListLinksOptions, PublishOptions, UploadLinkOptions } from './sharing.js';
export type { Condition, Operation, Operations, Returning, TransactionResults } from './transaction.js';
export { type Action, type Updates, type Util, util } from './update.js';
export { type LinkUploadOptions, uploadByLink } from './upload-by-link.js';
export type { NewWebhook, WebhookChange, Webhooks } from './webhooks.js';
