import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { tellFailure } from '../../ui/toast.js';
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
        if (event.dataTransfer !== null) filesOfDrop(event.dataTransfer).then(onFiles, tellFailure);
      }}
    >
      {children}
    </section>
  );
}
