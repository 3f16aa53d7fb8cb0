import { effect } from '@preact/signals';
import { key, project } from '../api/session.js';
import { type Route, route } from '../router.js';
import { visible } from '../ui/visible.js';

// Tabs, bookmarks and the steps of Back are told apart by the title.
effect(() => {
  const names = key.value === undefined ? [] : [nameOf(route.value), project.value];
  document.title = [...names, 'Basedrive'].map(visible).join(' · ');
});

function nameOf(shown: Route): string {
  if ('name' in shown) return shown.name;
  return { keys: 'Keys', sharing: 'Shared', webhooks: 'Webhooks', overview: 'Overview' }[shown.screen];
}
