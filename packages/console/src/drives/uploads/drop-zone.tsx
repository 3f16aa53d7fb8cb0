import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { PageError } from '../../api/errors.js';
import { countOf } from '../../ui/format.js';
import { tellFailure } from '../../ui/toast.js';
import { visible } from '../../ui/visible.js';
import { hasFiles } from '../moves/drag.js';
import { type ChosenFile, filesOfDrop } from './chosen-files.js';

interface DropZoneProps {
  readonly label: string;
  readonly children: ComponentChildren;
  onFiles(files: readonly ChosenFile[]): void;
}

/** A screen that takes files and folders that are dropped anywhere on it. */
export function DropZone({ label, children, onFiles }: DropZoneProps) {
  const isOver = useSignal(false);
  return (
    <section
      class={isOver.value ? 'screen drop-over' : 'screen'}
      aria-label={label}
      onDragOver={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        isOver.value = true;
      }}
      onDragLeave={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget as Node | null)) isOver.value = false;
      }}
      onDrop={(event) => {
        if (!hasFiles(event)) return;
        event.preventDefault();
        isOver.value = false;
        if (event.dataTransfer !== null) void take(event.dataTransfer, onFiles);
      }}
    >
      {children}
    </section>
  );
}

/** Passes on the files of a drop, and says what of it is no file, or cannot be read. */
async function take(dropped: DataTransfer, onFiles: DropZoneProps['onFiles']): Promise<void> {
  const { files, unreadable } = await filesOfDrop(dropped);
  const [first] = unreadable;
  if (first !== undefined) {
    const more = unreadable.length === 1 ? '' : ` and ${countOf(unreadable.length - 1, 'other')}`;
    tellFailure(new PageError(`The browser cannot read ${visible(first)}${more}.`));
  } else if (files.length === 0) {
    tellFailure(new PageError('There is no file in what was dropped. Make empty folders with New folder.'));
  }
  if (files.length > 0) onFiles(files);
}
