import { signal } from '@preact/signals';
import { deviceStorage } from '../api/storage.js';

const storageName = 'basedrive-panel-width';
const usual = 400;
export const minPanelWidth = 320;
export const maxPanelWidth = 1200;

const clamp = (width: number) => Math.round(Math.max(minPanelWidth, Math.min(maxPanelWidth, width)));
const stored = Number(deviceStorage.getItem(storageName) ?? Number.NaN);

/** The width of the panel beside the main area, in pixels. The device remembers it. */
export const panelWidth = signal(Number.isNaN(stored) ? usual : clamp(stored));

/** Widens or narrows the panel; undefined gives it its usual width. */
export function setPanelWidth(width: number | undefined): void {
  panelWidth.value = clamp(width ?? usual);
  try {
    deviceStorage.setItem(storageName, String(panelWidth.value));
  } catch {
    // There is no room: the page keeps it.
  }
}
