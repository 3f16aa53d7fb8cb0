import { signal } from '@preact/signals';
import { useRef } from 'preact/hooks';
import { deviceStorage } from '../api/storage.js';

const storageName = 'basedrive-panel-width';
const usual = 400;
const min = 320;
const max = 1200;

const clamp = (width: number) => Math.round(Math.max(min, Math.min(max, width)));
const stored = Number(deviceStorage.getItem(storageName) ?? Number.NaN);

/** The width of the panel beside the main area, in pixels. The device remembers it. */
export const panelWidth = signal(Number.isNaN(stored) ? usual : clamp(stored));

/** Widens or narrows the panel. */
function setWidth(width: number): void {
  panelWidth.value = clamp(width);
  deviceStorage.setItem(storageName, String(panelWidth.value));
}

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
      aria-valuemin={min}
      aria-valuemax={max}
      aria-valuenow={panelWidth.value}
      onKeyDown={(event) => {
        const by = { ArrowLeft: step, ArrowRight: -step }[event.key];
        if (by === undefined && event.key !== 'Home') return;
        event.preventDefault();
        setWidth(by === undefined ? usual : panelWidth.peek() + by);
      }}
      onDblClick={() => setWidth(usual)}
      onPointerDown={(event) => {
        from.current = { x: event.clientX, width: panelWidth.peek() };
        event.currentTarget.setPointerCapture(event.pointerId);
        event.preventDefault();
        event.currentTarget.focus();
      }}
      onPointerMove={(event) => {
        const start = from.current;
        if (start !== undefined) setWidth(start.width + start.x - event.clientX);
      }}
      onPointerUp={end}
      onPointerCancel={end}
    />
  );
}
