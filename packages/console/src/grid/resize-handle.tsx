import { useRef } from 'preact/hooks';

interface ResizeHandleProps {
  readonly width: number;
  onResize(width: number | 'fit'): void;
}

/** The end of a column's head: dragging it changes the width, a double click fits it. Keys do the same on the head. */
export function ResizeHandle({ width, onResize }: ResizeHandleProps) {
  const from = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  return (
    <span
      class="resize-handle"
      aria-hidden="true"
      onMouseDown={(event) => event.stopPropagation()}
      onClick={(event) => event.stopPropagation()}
      onDblClick={(event) => {
        event.stopPropagation();
        onResize('fit');
      }}
      onPointerDown={(event) => {
        from.current = { x: event.clientX, width };
        event.currentTarget.setPointerCapture(event.pointerId);
      }}
      onPointerMove={(event) => {
        const start = from.current;
        if (start !== undefined) onResize(Math.round(start.width + event.clientX - start.x));
      }}
      onPointerUp={() => {
        from.current = undefined;
      }}
      onPointerCancel={() => {
        from.current = undefined;
      }}
    />
  );
}
