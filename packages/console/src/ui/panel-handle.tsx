import { useRef } from 'preact/hooks';
import { maxPanelWidth, minPanelWidth, panelWidth, setPanelWidth } from './panel-width.js';

/** Pixels by which a key changes the width. */
const step = 32;

/** The edge of the panel: dragging it widens the panel, and so do the arrow keys; a double click sets it back. */
export function PanelHandle() {
  const from = useRef<{ readonly x: number; readonly width: number } | undefined>(undefined);
  const end = () => {
    from.current = undefined;
  };
  return (
    <div
      class="panel-handle"
      role="separator"
      tabIndex={0}
      aria-label="Width of the panel"
      aria-orientation="vertical"
      aria-valuemin={minPanelWidth}
      aria-valuemax={maxPanelWidth}
      aria-valuenow={panelWidth.value}
      onKeyDown={(event) => {
        const by = { ArrowLeft: step, ArrowRight: -step }[event.key];
        if (by === undefined && event.key !== 'Home') return;
        event.preventDefault();
        setPanelWidth(by === undefined ? undefined : panelWidth.peek() + by);
      }}
      onDblClick={() => setPanelWidth(undefined)}
      onPointerDown={(event) => {
        from.current = { x: event.clientX, width: panelWidth.peek() };
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
        event.currentTarget.focus();
      }}
      onPointerMove={(event) => {
        const start = from.current;
        if (start !== undefined) setPanelWidth(start.width + start.x - event.clientX);
      }}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
