import { useState } from 'preact/hooks';
import { formatBytes } from '../../ui/format.js';
import { Icon } from '../../ui/icon.js';

const accepted = [
  '.ndjson,.jsonl,.json,application/x-ndjson,application/json',
  '.csv,.tsv,.tab,.txt,text/csv,text/tab-separated-values',
].join();

interface FileChoiceProps {
  readonly file: File | undefined;
  onChoose(file: File): void;
}

/** A place for a file: to choose it, or to drop it there. */
export function FileChoice({ file, onChoose }: FileChoiceProps) {
  const [isOver, setOver] = useState(false);
  return (
    <label
      class={['drop-place', isOver && 'over', file !== undefined && 'is-chosen'].filter(Boolean).join(' ')}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        const dropped = event.dataTransfer?.files[0];
        if (dropped !== undefined) onChoose(dropped);
      }}
    >
      <Icon name="upload" size={file === undefined ? 24 : 16} />
      <span class="clip">{file === undefined ? 'Choose a file, or drop it here' : file.name}</span>
      <span class="meta">
        {file === undefined ? 'A table (CSV), a JSON list, or one JSON item a line' : formatBytes(file.size)}
      </span>
      <input
        type="file"
        class="hidden-label"
        accept={accepted}
        onChange={(event) => {
          const chosen = event.currentTarget.files?.[0];
          if (chosen !== undefined) onChoose(chosen);
        }}
      />
    </label>
  );
}
