import assert from 'node:assert/strict';
import { test } from 'node:test';
import { asksForPrimary, hostsOf, hostsProblem, toUrl } from '../../src/engines/postgres/address.js';
import { itemsAddressProblem, shownAddress } from '../../src/engines/registry.js';

const namesOf = (address: string) => hostsOf(toUrl(address)).map(({ name }) => name);
const problemOf = (address: string) => hostsProblem(new URL(toUrl(address)));

test('an address may name several hosts, in the forms of PostgreSQL’s own programs', () => {
  const forms: [address: string, hosts: string[]][] = [
    ['postgres://me:secret@db1:5433,db2:5434/rows', ['db1:5433', 'db2:5434']],
    ['postgres://db1,db2/rows', ['db1:5432', 'db2:5432']],
    ['postgres://db1:5433,db2/rows', ['db1:5433', 'db2:5432']],
    ['postgres://db1,db2/rows?port=6432', ['db1:6432', 'db2:6432']],
    ['postgresql:///rows?host=db1,::1&port=5433,5434', ['db1:5433', '::1:5434']],
    ['postgres://me:a%2Cb%40c@10.0.0.1:1,10.0.0.2:2,10.0.0.3:3', ['10.0.0.1:1', '10.0.0.2:2', '10.0.0.3:3']],
    ['postgres://db1:5433/rows', ['db1:5433']],
    ['postgres://[::1]:5433/rows', ['[::1]:5433']],
  ];
  for (const [address, hosts] of forms) {
    assert.deepEqual(namesOf(address), hosts, address);
    assert.equal(itemsAddressProblem(address), undefined, address);
    assert.equal(asksForPrimary(toUrl(address)), hosts.length > 1);
  }
});

test('each host is an address with the user, the password and the parameters of the whole', () => {
  const [first, second] = hostsOf(toUrl('postgres://me:s%40cret@db1:5433,db2:5434/rows?sslmode=require'));
  for (const [host, name, port] of [
    [first, 'db1', '5433'],
    [second, 'db2', '5434'],
  ] as const) {
    const url = new URL(host?.url ?? '');
    assert.equal(url.username, 'me');
    assert.equal(url.password, 's%40cret');
    assert.equal(url.pathname, '/rows');
    const parameters = Object.fromEntries(url.searchParams);
    assert.deepEqual(parameters, { sslmode: 'require', host: name, port });
  }
});

test('an address of one host asks for a primary only with its parameter', () => {
  assert.ok(asksForPrimary('postgres://db1/rows?target_session_attrs=read-write'));
  assert.ok(asksForPrimary('postgres://db1/rows?target_session_attrs=primary'));
  assert.ok(!asksForPrimary('postgres://db1/rows?target_session_attrs=any'));
  assert.ok(!asksForPrimary('postgres://db1/rows'));
});

test('what cannot be meant is refused', () => {
  assert.match(problemOf('postgres://db1,db2/rows?target_session_attrs=standby') ?? '', /a server writes/);
  assert.match(problemOf('postgres://db1,,db2/rows') ?? '', /empty/);
  assert.match(
    problemOf('postgres:///rows?host=a,b,c&port=1,2') ?? '',
    /one port for all hosts, or one for each/,
  );
  assert.match(itemsAddressProblem('postgres://[::1]:1,[::2]:2/rows') ?? '', /must be postgres:/);
  assert.match(itemsAddressProblem('postgres://db1,db2/rows?target_session_attrs=standby') ?? '', /writes/);
});

test('an address is shown without its password', () => {
  const shown = shownAddress('postgres://me:secret@db1:5433,db2:5434/rows?sslmode=require');
  assert.equal(shown, 'postgres://db1,db2/rows');
});
