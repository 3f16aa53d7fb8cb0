import { test } from 'node:test';
import { assertAccessible } from './support/axe.js';
import { becomes } from './support/becomes.js';
import { useConsole } from './support/console.js';
import { store } from './support/items.js';

const count = 130;
const nameOf = (n: number) => `base-${String(n).padStart(3, '0')}`;

const console = useConsole({
  async prepare(service) {
    const waiting = Array.from({ length: count }, (_, n) => nameOf(n));
    const work = async () => {
      for (let name = waiting.pop(); name !== undefined; name = waiting.pop())
        await store(service, name, ['{"key":"a"}']);
    };
    await Promise.all(Array.from({ length: 8 }, work));
    await store(service, nameOf(7), ['{"key":"b"}', '{"key":"c"}']);
  },
});

test('with many bases, all items are counted, and what is below their names is in view', async () => {
  const page = await console.open();
  const bases = page.getByRole('region', { name: 'Bases', exact: true });
  await bases.getByText('132', { exact: false }).first().waitFor();
  await bases.getByText(/ in more than 100 bases$/).waitFor();
  const inView = (name: string) =>
    page
      .getByRole('navigation')
      .getByRole('link', { name, exact: true })
      .evaluate((link) => {
        const { top, bottom } = link.getBoundingClientRect();
        return top >= 0 && bottom <= innerHeight;
      });
  await becomes(() => inView('Keys'), true);
  const panel = page.locator('.panel', { has: page.getByRole('heading', { name: 'Bases', exact: true }) });
  await becomes(() => panel.getByRole('row').count(), 13);
  await page.getByRole('button', { name: 'Show 88 more' }).click();
  await becomes(() => panel.getByRole('row').count(), 101);
  await assertAccessible(page, 'many bases');
});

test('the base that is open is in view among many names, also if its name was not read', async () => {
  const page = await console.open(`#/bases/${nameOf(120)}`);
  const current = page.getByRole('navigation').locator('[aria-current=page]');
  const placeOf = () =>
    current.evaluate((link) => {
      const list = link.closest('ul')?.getBoundingClientRect();
      const { top, bottom } = link.getBoundingClientRect();
      return list !== undefined && top >= list.top - 1 && bottom <= list.bottom + 1;
    });
  await current.getByText(nameOf(120), { exact: true }).waitFor();
  await becomes(placeOf, true);
  await page.evaluate((name) => {
    location.hash = `#/bases/${name}`;
  }, nameOf(90));
  await current.getByText(nameOf(90), { exact: true }).waitFor();
  await becomes(placeOf, true);
});
