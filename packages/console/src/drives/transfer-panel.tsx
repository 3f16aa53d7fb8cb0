import { useMemo, useState } from 'preact/hooks';
import { Button, IconButton } from '../ui/button.js';
import { countOf, formatBytes, formatCount } from '../ui/format.js';
import { Icon } from '../ui/icon.js';
import { isPhone } from '../ui/media.js';
import { tellFailure } from '../ui/toast.js';
import { visible } from '../ui/visible.js';
import { type Download, downloads, endDownload } from './downloads/downloads.js';
import { interrupted } from './uploads/interrupted.js';
import type { Progress } from './uploads/transfer-list.js';
import {
  abandon,
  cancel,
  cancelAll,
  clearDone,
  firstTransfers,
  pause,
  progress,
  replace,
  resume,
  resumeAll,
  type Transfer,
  transfers,
} from './uploads/transfers.js';

/** A name in a drive; no name of a drive has a slash. */
const nameOf = ({ drive, name }: { readonly drive: string; readonly name: string }) => `${drive}/${name}`;

/** Lines that are drawn: the first that are not finished, and then the latest. */
const shown = 50;

/** The uploads and downloads of this tab, at the foot of a drive, and the uploads that a reload has interrupted. */
export function TransferPanel({ drive }: { readonly drive: string }) {
  const [isOpen, setOpen] = useState(true);
  const all = transfers.value;
  const names = useMemo(() => new Set(all.map(nameOf)), [all]);
  const left = interrupted.value.filter((upload) => upload.drive === drive && !names.has(nameOf(upload)));
  const saving = downloads.value;
  if (all.length + left.length + saving.length === 0) return null;
  const { counts, size, sent } = progress.value;
  const { done, failed, paused } = counts;
  const unfinished = all.length - done;
  const isSending = unfinished > failed + paused;
  return (
    <section class="transfers" aria-label="Transfers">
      <header class="transfers-head">
        <Icon name={all.length + left.length === 0 ? 'download' : 'upload'} />
        {/* Screen readers announce the end, and not each file before. */}
        <h2 aria-live={isSending ? 'off' : 'polite'}>
          {titleOf(all.length, counts, left.length, saving.length)}
        </h2>
        {unfinished > 0 && (
          <span class="meta">
            {formatBytes(sent)} of {formatBytes(size)}
          </span>
        )}
        <span class="push row wraps">
          {failed > 1 && <Button text="Try all again" variant="quiet" onClick={() => resumeAll('failed')} />}
          {failed === 0 && paused > 1 && (
            <Button text="Resume all" variant="quiet" onClick={() => resumeAll('paused')} />
          )}
          {unfinished > 1 && <Button text="Cancel all" variant="quiet" onClick={cancelAll} />}
          {done > 0 && (!isPhone.value || unfinished < 2) && (
            <Button text="Clear finished" variant="quiet" onClick={clearDone} />
          )}
          <IconButton
            icon={isOpen ? 'chevron-down' : 'chevron-right'}
            label={isOpen ? 'Fold up' : 'Unfold'}
            aria-expanded={isOpen}
            onClick={() => setOpen(!isOpen)}
          />
        </span>
      </header>
      {isOpen && (
        <ul class="transfers-list">
          {left.map((upload) => (
            <li key={upload.uploadId} class="transfer">
              <Icon name="warning" />
              <span class="clip">{visible(upload.name)}</span>
              <span class="meta">Interrupted. Upload the same file again to resume.</span>
              <IconButton
                icon="x"
                label={`Discard ${visible(upload.name)}`}
                onClick={() => void abandon(upload).catch(tellFailure)}
              />
            </li>
          ))}
          {saving.map((download) => (
            <DownloadLine key={download.id} download={download} />
          ))}
          {firstTransfers(shown).map((transfer) => (
            <TransferLine key={transfer.id} transfer={transfer} />
          ))}
          {all.length > shown && <li class="meta transfer">{formatCount(all.length - shown)} more</li>}
        </ul>
      )}
    </section>
  );
}

function titleOf(count: number, counts: Progress['counts'], left: number, saving: number): string {
  const { done, failed, paused } = counts;
  const ended = done + failed + paused;
  if (count > ended) return `Uploading ${formatCount(ended + 1)} of ${formatCount(count)}`;
  if (failed > 0) return `${countOf(failed, 'upload')} failed`;
  if (paused > 0) return `${countOf(paused, 'upload')} paused`;
  if (saving > 0) return countOf(saving, 'download');
  if (count > 0) return `${countOf(done, 'file')} uploaded`;
  return `${countOf(left, 'upload')} interrupted`;
}

function DownloadLine({ download }: { readonly download: Download }) {
  const { label, size, received, files, speed, state, problem } = download;
  const name = visible(label);
  const hasFailed = state.value === 'failed';
  const percent = size === undefined || size === 0 ? undefined : Math.floor((received.value / size) * 100);
  return (
    <li class="transfer">
      <Icon name={hasFailed ? 'circle-alert' : 'download'} />
      <span class="clip" title={name}>
        {name}
      </span>
      {!hasFailed && <progress class="bar" max={100} value={percent} aria-label={`Download of ${name}`} />}
      <span class={hasFailed ? 'problem' : 'meta'}>
        {hasFailed
          ? problem.value
          : [
              percent === undefined ? formatBytes(received.value) : `${percent} %`,
              ...(files.value > 0 ? [countOf(files.value, 'file')] : []),
              `${formatBytes(speed.value)}/s`,
            ].join(' · ')}
      </span>
      <IconButton
        icon="x"
        label={hasFailed ? `Dismiss ${name}` : `Cancel ${name}`}
        onClick={() => endDownload(download)}
      />
    </li>
  );
}

function TransferLine({ transfer }: { readonly transfer: Transfer }) {
  const { name, file, state, sent, speed, problem, cause } = transfer;
  const label = visible(name);
  const percent = file.size === 0 ? 100 : Math.floor((sent.value / file.size) * 100);
  const text = {
    waiting: 'Waiting',
    sending: `${percent} % · ${formatBytes(speed.value)}/s`,
    paused: `Paused at ${percent} %`,
    stuck: 'The service does not answer. The upload goes on by itself when it does.',
    failed: problem.value,
    done: formatBytes(file.size),
  }[state.value];
  const isStopped = state.value === 'failed' || state.value === 'stuck';
  return (
    <li class="transfer">
      <Icon name={state.value === 'done' ? 'check' : isStopped ? 'circle-alert' : 'file'} />
      <span class="clip" title={label}>
        {label}
      </span>
      {state.value === 'sending' && (
        <progress class="bar" max={100} value={percent} aria-label={`Upload of ${label}`} />
      )}
      <span class={isStopped ? 'problem' : 'meta'}>{text}</span>
      {(state.value === 'sending' || state.value === 'waiting') && (
        <IconButton icon="pause" label={`Pause ${label}`} onClick={() => pause(transfer)} />
      )}
      {state.value === 'paused' && (
        <IconButton icon="play" label={`Resume ${label}`} onClick={() => resume(transfer)} />
      )}
      {cause.value === 'taken' && (
        <Button text="Replace it" variant="quiet" onClick={() => replace(transfer)} />
      )}
      {isStopped && cause.value === undefined && (
        <IconButton icon="refresh" label={`Try ${label} again`} onClick={() => resume(transfer)} />
      )}
      {state.value !== 'done' && (
        <IconButton icon="x" label={`Cancel ${label}`} onClick={() => cancel(transfer)} />
      )}
    </li>
  );
}
