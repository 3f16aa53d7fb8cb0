import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useEffect, useMemo } from 'preact/hooks';
import { mayWrite } from '../api/own-key.js';
import type { ChosenFile } from './chosen-files.js';
import { filesToSend, findTaken } from './files-to-send.js';
import { sendFiles } from './transfers.js';
import { UploadDialog, type UploadQuestion } from './upload-dialog.js';

interface Upload {
  /** Uploads files into the folder, and asks before if names are taken. */
  send(files: readonly ChosenFile[]): void;
  /** The question, while there is one. */
  readonly dialog: ComponentChildren;
}

/** The upload of chosen files into a folder of a drive. */
export function useUpload(drive: string, folder: string): Upload {
  const question = useSignal<UploadQuestion | undefined>(undefined);
  const ended = useMemo(() => new AbortController(), [drive]);
  useEffect(() => () => ended.abort(), [ended]);

  async function start(chosen: readonly ChosenFile[]): Promise<void> {
    const files = filesToSend(folder, chosen);
    // Without an answer the files are sent: the service itself replaces none of them.
    const conflicts = await findTaken(drive, files, ended.signal).catch(() => []);
    if (ended.signal.aborted) return;
    if (conflicts.length === 0) sendFiles(drive, files);
    else question.value = { drive, files, conflicts };
  }

  const dialog = question.value && (
    <UploadDialog
      {...question.value}
      send={(files) => sendFiles(drive, files)}
      onClose={() => {
        question.value = undefined;
      }}
    />
  );
  return {
    send(chosen) {
      if (mayWrite.peek()) void start(chosen);
    },
    dialog,
  };
}
