import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Place, Places } from '../../../src/http/requests/places.js';
import { RequestError } from '../../../src/request-error.js';

const limits = { maxRequests: 4096, maxConnections: 1000, isForOne: () => false };

/** Begins requests of a project until one is refused. Gives those that were not. */
function fill(places: Places, project: string, use: (place: Place) => void = () => {}): Place[] {
  const held: Place[] = [];
  for (;;) {
    const place = new Place(places);
    try {
      place.belongsTo(project);
      use(place);
      held.push(place);
    } catch (cause) {
      assert.ok(cause instanceof RequestError && cause.problems[0]?.code === 'share_taken');
      place.leave();
      return held;
    }
    assert.ok(held.length <= limits.maxConnections, 'no end');
  }
}

test('each project finds places, whatever others take, until there are very many of them', () => {
  const places = new Places(limits);
  const counts = Array.from({ length: 4 }, (_, n) => fill(places, `p${n}`).length);
  assert.deepEqual(counts, [750, 187, 47, 16]);
});

test('projects that compete get the same, and what one gives back others may take', () => {
  const places = new Places(limits);
  const first = fill(places, 'a');
  for (const place of first.splice(400)) place.leave();
  assert.ok(fill(places, 'b').length >= 400);
  for (const place of first) place.leave();
  assert.equal(new Set(fill(places, 'b')).size > 200, true);
});

test('requests that wait leave places for the others of their project, and are not in progress', () => {
  const places = new Places(limits);
  const waiting = fill(places, 'a', (place) => place.waits());
  assert.ok(waiting.length > 600 && waiting.length < 700, String(waiting.length));
  assert.equal(places.inProgress, 0);
  assert.ok(fill(places, 'a').length > 50);
  for (const place of waiting) place.leave();
});

test('requests in progress are shared as connections are', () => {
  const places = new Places({ ...limits, maxRequests: 100 });
  assert.equal(fill(places, 'a').length, 75);
  assert.ok(!places.areTaken);
});

test('few requests of a project are never refused, and one that ends is counted no more', () => {
  const places = new Places({ ...limits, maxConnections: 8 });
  const held = fill(places, 'a');
  assert.equal(held.length, 16);
  for (const place of held) place.leave();
  assert.equal(places.inProgress + places.open, 0);
  assert.equal(fill(places, 'a').length, 16);
});

test('one project alone may have everything, until a request of another comes', () => {
  const places = new Places({ ...limits, isForOne: () => true });
  const held = Array.from({ length: 1000 }, () => {
    const place = new Place(places);
    place.belongsTo('a');
    return place;
  });
  new Place(places).belongsTo('b');
  assert.throws(() => new Place(places).belongsTo('a'), RequestError);
  for (const place of held) place.leave();
});

test('projects that have nothing are forgotten', () => {
  const places = new Places(limits);
  for (let n = 0; n < 10_000; n++) {
    const place = new Place(places);
    place.belongsTo(`p${n}`);
    place.leave();
  }
  assert.ok(places.remembered < 5000, String(places.remembered));
});
