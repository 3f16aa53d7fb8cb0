import { showBusyHour } from './support/busy-hour.js';
import { useConsole } from './support/console.js';
import { putFile } from './support/files.js';
import { people, store } from './support/items.js';
import { landscape } from './support/landscape.js';
import { testScreens } from './support/screens.js';

const photo = (seed: number) => ({ body: landscape({ seed }), type: 'image/png' });
const files = [
  {
    name: '2026/a file with a name that is too long for its column.csv',
    body: 'a,b\n1,2\n',
    type: 'text/csv',
  },
  { name: '2026/harbour.png', ...photo(1) },
  { name: '2026/lighthouse.png', ...photo(2) },
  { name: '2026/notes.json', body: '{"a":[1,2,3]}', type: 'application/json' },
  { name: '2026/plan.txt', body: 'Up early, then the ridge.' },
  { name: '2026/ridge.png', ...photo(4) },
  { name: '2026/trip/day 1.png', ...photo(5) },
  { name: '2026/walk.gpx', body: '<gpx version="1.1"/>', type: 'application/gpx+xml' },
];

const console = useConsole({
  async prepare(service) {
    await store(service, 'users', people(1204));
    const orders = Array.from({ length: 300 }, (_, n) => `{"key":"order-${n}","total":${n}.99}`);
    await store(service, 'orders', orders);
    const limits = '{"name":"shop page","access":"read","drives":["photos"],"prefix":"2026/"}';
    await service.call('POST', '/keys', limits);
    await service.call('POST', '/keys', '{"name":"backup","access":"full"}');
    const hook = '{"name":"search index","url":"https://search.example/in","bases":["users"]}';
    await service.call('POST', '/hooks', hook);
    for (const { name, ...file } of files) await putFile(service, 'photos', name, file);
    await service.call('PUT', '/letters/settings', '{"trash":"30d"}');
    for (const name of ['2026/a letter.txt', 'draft.txt', 'kept.txt'])
      await putFile(service, 'letters', name);
    await service.call('DELETE', '/letters/files', '{"names":["2026/a letter.txt","draft.txt"]}');
    await service.call('PUT', '/photos/public', '{"prefixes":["2026/trip/"]}');
  },
});

testScreens(console, [
  {
    name: 'sign-in',
    fragment: '',
    isSignedIn: false,
    show: (page) => page.getByLabel('Key').waitFor(),
  },
  {
    name: 'overview',
    fragment: '',
    before: showBusyHour,
    show: (page) => page.getByText('1,504').waitFor(),
  },
  {
    name: 'profile',
    fragment: '#/bases/users?profile=true',
    show: (page) => page.getByText('Of all 1,204 items.').waitFor(),
  },
  {
    name: 'drive',
    fragment: '#/drives/photos?folder=2026%2F&file=2026%2Fridge.png',
    show: (page) => page.getByRole('img', { name: 'Preview of ridge.png' }).waitFor(),
  },
  {
    name: 'trash',
    fragment: '#/drives/letters',
    async show(page) {
      await page.getByRole('button', { name: 'More', exact: true }).click();
      await page.getByRole('menuitem', { name: 'Trash' }).click();
      await page.getByRole('button', { name: 'Bring back 2026/a letter.txt' }).waitFor();
    },
  },
  {
    name: 'shared',
    fragment: '#/drives/photos?folder=2026%2F&file=2026%2Fnotes.json',
    async show(page) {
      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByRole('button', { name: 'Make a link' }).click();
      await page.getByRole('button', { name: 'Done' }).click();
      await page.evaluate(() => {
        location.hash = '#/sharing';
      });
      await page.getByRole('link', { name: 'photos/2026/trip/' }).waitFor();
    },
  },
  {
    name: 'tiles',
    fragment: '#/drives/photos?folder=2026%2F',
    async show(page) {
      await page.evaluate(() => localStorage.setItem('basedrive-folder-view', 'tiles'));
      await page.reload();
      // How many there are depends on the width, and on how much is drawn below the view.
      await page.locator('.thumbnail.is-drawn').first().waitFor();
      await page.locator('.thumbnail:not(.is-drawn)').first().waitFor({ state: 'detached' });
    },
  },
  {
    name: 'file-settings',
    fragment: '#/drives/photos?folder=2026%2F&file=2026%2Fnotes.json',
    async show(page) {
      await page.getByRole('button', { name: 'More about the file' }).click();
      await page.getByRole('menuitem', { name: 'Type and expiry' }).click();
      await page.getByLabel('It expires').selectOption({ label: 'At a date and time' });
    },
  },
  {
    name: 'selected',
    fragment: '#/drives/photos?folder=2026%2F',
    async show(page) {
      await page.getByRole('checkbox', { name: 'Select 2026/trip/' }).click();
      await page.getByText('1 selected').waitFor();
    },
  },
  {
    name: 'transfers',
    fragment: '#/drives/photos?folder=2026%2F',
    async show(page) {
      await page.route(/download\?name=|\/files\?name=/, () => {});
      const film = { name: 'a film with a rather long name.mp4', mimeType: 'video/mp4' };
      await page.getByLabel('Files to upload').setInputFiles({ ...film, buffer: Buffer.alloc(100_000) });
      await page.getByRole('checkbox', { name: 'Select 2026/notes.json' }).click();
      await page.getByRole('checkbox', { name: 'Select 2026/plan.txt' }).click();
      await page.getByRole('button', { name: 'Download' }).click();
      await page.getByRole('progressbar').nth(1).waitFor();
    },
  },
  {
    name: 'keys',
    fragment: '#/keys',
    show: (page) => page.getByText('shop page').waitFor(),
  },
  {
    name: 's3-credentials',
    fragment: '#/keys',
    async show(page) {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByLabel('Name', { exact: true }).fill('nightly backup');
      await page.getByLabel('With credentials for S3 clients').check();
      await page.getByRole('button', { name: 'Create' }).click();
      await page.getByLabel('the secret access key', { exact: true }).waitFor();
    },
  },
  {
    name: 'webhooks',
    fragment: '#/webhooks',
    show: (page) => page.getByText('search index').waitFor(),
  },
  {
    name: 'new-webhook',
    fragment: '#/webhooks',
    async show(page) {
      await page.getByRole('button', { name: 'New webhook' }).click();
      await page.getByText('It sends').waitFor();
    },
  },
  {
    name: 'new-key',
    fragment: '#/keys',
    async show(page) {
      await page.getByRole('button', { name: 'New key' }).click();
      await page.getByText('It may').waitFor();
    },
  },
  {
    name: 'share',
    fragment: '#/drives/photos?folder=2026%2F&file=2026%2Fnotes.json',
    async show(page) {
      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByText('The link works for').waitFor();
    },
  },
]);
