import { effect, type ReadonlySignal, signal } from '@preact/signals';
import { drives } from '../../api/catalog.js';
import { key } from '../../api/session.js';
import { tellFailure } from '../../ui/toast.js';
import type { Conflict } from '../names/conflicts.js';
import type { ChosenFile } from './chosen-files.js';
import { type FileToSend, filesToSend, findTaken } from './files-to-send.js';
import { onStored, sendFiles, transfers } from './transfers.js';

/** Files that the user has chosen, some of which have names that are taken. */
export interface UploadQuestion {
  readonly id: number;
  readonly drive: string;
  readonly files: readonly FileToSend[];
  readonly conflicts: readonly Conflict[];
  /** Ends the question with what is to be sent. */
  answer(files: readonly FileToSend[]): void;
}

const asked = signal<UploadQuestion | undefined>(undefined);
let lastId = 0;
let session = new AbortController();
/** One set of files after the other: each waits for the answer to the one before. */
let queue = Promise.resolve();

/** What the user has to answer before files are sent: whatever is shown by then. */
export const uploadQuestion: ReadonlySignal<UploadQuestion | undefined> = asked;

// Nothing is sent with another key than the one with which it was chosen.
effect(() => {
  void key.value;
  session.abort();
  session = new AbortController();
  asked.peek()?.answer([]);
});

// With its first file a drive exists.
onStored((drive) => drives.add(drive));

/** Uploads files into a folder of a drive, and asks before if names are taken. */
export function uploadFiles(drive: string, folder: string, chosen: readonly ChosenFile[]): void {
  const { signal: ended } = session;
  const files = filesToSend(folder, chosen);
  const start = async () => {
    if (ended.aborted) return;
    // Without an answer of the service the files are sent: the service itself replaces none of them.
    const conflicts = await findTaken(drive, files, onTheirWay(drive), ended).catch(() => []);
    if (ended.aborted) return;
    sendFiles(drive, conflicts.length === 0 ? files : await ask(drive, files, conflicts));
  };
  // A failure does not keep those that wait from being sent.
  queue = queue.then(start).catch(tellFailure);
}

function ask(
  drive: string,
  files: readonly FileToSend[],
  conflicts: readonly Conflict[],
): Promise<readonly FileToSend[]> {
  return new Promise((resolve) => {
    asked.value = {
      id: ++lastId,
      drive,
      files,
      conflicts,
      answer(sent) {
        asked.value = undefined;
        resolve(sent);
      },
    };
  });
}

/** The names that files get which are not stored yet. */
function onTheirWay(drive: string): readonly string[] {
  return transfers
    .peek()
    .filter((transfer) => transfer.drive === drive && transfer.state.peek() !== 'done')
    .map(({ name }) => name);
}
