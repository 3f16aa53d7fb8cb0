import type { CallOptions, Endpoint, RetryOptions } from '../http/endpoint.js';
import { invalid } from '../http/error.js';
import { requestJson } from '../http/request.js';
import { type FileData, type FileSource, openSource } from '../http/source.js';
import type { PutFileOptions } from './drive.js';
import { putFile } from './upload.js';

export interface LinkUploadOptions extends CallOptions, Pick<PutFileOptions, 'concurrency' | 'onProgress'> {
  /** Default: the type of a `File`; else it follows from the name in the link. */
  readonly contentType?: string | undefined;
  /**
   * True (default): what an earlier call with this link has sent is not sent again, also after the page was reloaded. It
   * must have sent the same bytes. False: all is sent.
   */
  readonly resume?: boolean | undefined;
  readonly retry?: RetryOptions | undefined;
  /** Used in place of the global `fetch`. */
  readonly fetch?: typeof fetch | undefined;
}

/**
 * Stores a file by an upload link, without a key (docs/http.md#links). One of more than 10 MiB is sent in parts, for which
 * the link was made with `parts`. When the call fails, what was sent stays for an hour and more: call it again to go on.
 * @throws code `forbidden` if the link is not valid, or not any more; `conflict` if the file exists
 * @example await uploadByLink(link, input.files[0], { onProgress: ({ sent, total }) => show(sent / total) });
 */
export async function uploadByLink(
  link: string,
  data: FileData | FileSource,
  { resume = true, retry, fetch, ...options }: LinkUploadOptions = {},
): Promise<void> {
  if (!/^https?:/i.test(link) || !URL.canParse(link)) throw invalid('The link is malformed');
  const { origin, pathname } = new URL(link);
  const endpoint: Endpoint = { root: origin + pathname, key: '', options: { retry, fetch } };
  const source = await openSource(data);
  if (!resume) await dropOpen(endpoint, options.contentType ?? source.type, options);
  await putFile(endpoint, '', source, { ...options, isLink: true, resume: { onOpen: () => {} } });
}

/** Drops what the link has open. There is nothing to drop if that fails. */
async function dropOpen(
  endpoint: Endpoint,
  type: string | undefined,
  { signal, timeoutMs }: CallOptions,
): Promise<void> {
  const opened = await requestJson(
    endpoint,
    { method: 'POST', path: '/uploads', type, repeatable: true },
    { signal, timeoutMs },
  );
  const { upload_id: id } = (opened.value ?? {}) as { readonly upload_id?: string };
  if (id === undefined) return;
  await requestJson(
    endpoint,
    { method: 'DELETE', path: `/uploads/${id}`, repeatable: true },
    { signal, timeoutMs },
  );
}
