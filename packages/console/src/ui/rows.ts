import { computed, effect, signal } from '@preact/signals';
import { deviceStorage } from '../api/storage.js';
import { isTouch } from './media.js';

const storageName = 'basedrive-rows';

/** Whether tables are to show more rows, as this device keeps it. */
export const isCompact = signal(deviceStorage.getItem(storageName) === 'compact');

/** Pixels of a row of a table. Fingers need more of them, however many rows are wished. */
export const rowHeight = computed(() => {
  if (isTouch.value) return 44;
  return isCompact.value ? 28 : 32;
});

effect(() => {
  document.documentElement.style.setProperty('--row-height', `${rowHeight.value}px`);
  deviceStorage.setItem(storageName, isCompact.value ? 'compact' : 'usual');
});
