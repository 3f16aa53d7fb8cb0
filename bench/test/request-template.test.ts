import assert from 'node:assert/strict';
import { test } from 'node:test';
import { item } from '../src/contenders/item.js';
import { render, renderText, slotsOf } from '../src/load/request-template.js';

test('a placeholder of every form is replaced by its key', () => {
  assert.equal(renderText('a{key}b', 42), 'a000000000042b');
  assert.equal(renderText('{prefix}', 4242), '0000000042');
  assert.equal(renderText('{key64}', 42), Buffer.from('000000000042').toString('base64'));
  assert.equal(renderText('{key:2}{key}', 42), '000000000044000000000042');
});

test('the braces of JSON do not change', () => {
  assert.equal(renderText('{"key":"{key}","o":{}}', 1), '{"key":"000000000001","o":{}}');
});

test('a template has as many slots as its highest placeholder in path and body says', () => {
  assert.equal(slotsOf({ method: 'GET', path: '/' }), 1);
  assert.equal(slotsOf({ method: 'PUT', path: '/{key}', body: '{key:24}' }), 25);
});

test('all requests of a template have the same length', () => {
  const template = { method: 'PUT', path: '/{key}', body: `${item(0)}{key64:1}{nonce}` };
  const lengths = [0, 7, 999_999_999_998].map((first) => String(render(template, first).body).length);
  assert.equal(new Set(lengths).size, 1);
});

test('an item is JSON of the requested size', () => {
  for (const size of [200, 300, 2000]) {
    const text = renderText(item(3, size), 5);
    assert.equal(Buffer.byteLength(text), size);
    assert.equal((JSON.parse(text) as { key: string }).key, '000000000008');
  }
});
