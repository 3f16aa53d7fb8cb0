import { useEffect, useState } from 'preact/hooks';
import { PageError } from '../../api/errors.js';
import { client } from '../../api/session.js';
import { formatBytes } from '../../ui/format.js';
import { lazy } from '../../ui/lazy.js';
import { ErrorState, LoadingRows } from '../../ui/states.js';
import type { Entry, FileFacts } from '../entry.js';
import { mediaType, type PreviewKind, previewKind } from './preview-kind.js';

const PdfPreview = lazy(async () => (await import('./pdf/pdf-preview.js')).PdfPreview);

/** Bytes of a text that are shown. */
const maxTextBytes = 256 * 1024;

interface Shown {
  /** `broken`: the browser cannot read the bytes as what the type says. */
  readonly kind: PreviewKind | 'broken';
  /** The address of the bytes, for media. */
  readonly url?: string;
  readonly text?: string;
  /** Of a PDF. */
  readonly bytes?: ArrayBuffer;
}

/** A look at a file: an image, a film, a sound, the pages of a PDF, or the beginning of a text. Nothing in it runs. */
export function Preview({ drive, entry }: { readonly drive: string; readonly entry: Entry }) {
  const [shown, setShown] = useState<Shown | undefined>(undefined);
  const [failure, setFailure] = useState<unknown>(undefined);
  const [attempt, setAttempt] = useState(0);
  const { name, file } = entry;
  const etag = file?.etag;

  useEffect(() => {
    if (file === undefined) return;
    const ended = new AbortController();
    let url: string | undefined;
    setShown(undefined);
    setFailure(undefined);
    read(drive, name, file, ended.signal).then(
      (read) => {
        if (ended.signal.aborted) return;
        url = read.blob === undefined ? undefined : URL.createObjectURL(read.blob);
        setShown({ ...read, ...(url === undefined ? {} : { url }) });
      },
      (cause) => {
        if (!ended.signal.aborted) setFailure(cause ?? new PageError('The file is gone.'));
      },
    );
    return () => {
      ended.abort();
      if (url !== undefined) URL.revokeObjectURL(url);
    };
  }, [drive, name, etag, attempt]);

  if (file === undefined) return null;
  if (failure !== undefined) return <ErrorState cause={failure} onRetry={() => setAttempt(attempt + 1)} />;
  if (shown === undefined) return <LoadingRows rows={4} />;
  const { kind, url, text, bytes } = shown;
  if (kind === 'image' && url !== undefined) {
    return (
      <img
        class="preview-media"
        src={url}
        alt={`Preview of ${entry.label}`}
        onError={() => setShown({ kind: 'broken' })}
      />
    );
  }
  // biome-ignore lint/a11y/useMediaCaption: a stored film brings no captions
  if (kind === 'video') return <video class="preview-media" src={url} controls />;
  // biome-ignore lint/a11y/useMediaCaption: a stored sound brings no captions
  if (kind === 'audio') return <audio class="preview-sound" src={url} controls />;
  if (kind === 'pdf' && bytes !== undefined) return <PdfPreview label={entry.label} bytes={bytes} />;
  if (kind === 'none')
    return <p class="hint">There is no preview of this type or size. Download the file.</p>;
  if (kind === 'broken') return <p class="hint">These bytes are no image that a browser can show.</p>;
  return (
    <>
      <pre class="preview-text" tabIndex={0} aria-label={`Text of ${entry.label}`}>
        {text}
      </pre>
      {file.size > maxTextBytes && (
        <p class="meta">
          The first {formatBytes(maxTextBytes)} of {formatBytes(file.size)}
        </p>
      )}
    </>
  );
}

async function read(
  drive: string,
  name: string,
  { content_type, size }: FileFacts,
  signal: AbortSignal,
): Promise<Shown & { readonly blob?: Blob }> {
  const kind = previewKind(content_type, size);
  if (kind === 'none') return { kind };
  const isLong = kind === 'text' && size > maxTextBytes;
  const range = isLong ? { range: { from: 0, to: maxTextBytes - 1 } } : {};
  const found = await client()
    .Drive(drive)
    .get(name, { signal, ...range });
  if (found === null) throw new PageError('The file is gone.');
  const bytes = await found.arrayBuffer();
  if (kind === 'pdf') return { kind, bytes };
  if (kind === 'text') return { kind, text: new TextDecoder().decode(bytes) };
  return { kind, blob: new Blob([bytes], { type: mediaType(found.type) }) };
}
