import { effect, signal } from '@preact/signals';
import { deviceStorage } from '../api/storage.js';

/** Light, dark, or as the system says. */
export type Theme = 'auto' | 'light' | 'dark';

const storageName = 'basedrive-theme';
const themes: readonly Theme[] = ['auto', 'light', 'dark'];

export const theme = signal<Theme>(
  themes.find((name) => name === deviceStorage.getItem(storageName)) ?? 'auto',
);

effect(() => {
  const root = document.documentElement;
  if (theme.value === 'auto') delete root.dataset.theme;
  else root.dataset.theme = theme.value;
  deviceStorage.setItem(storageName, theme.value);
});

/** The next of the three themes. */
export function changeTheme(): void {
  theme.value = themes[(themes.indexOf(theme.value) + 1) % themes.length] ?? 'auto';
}
