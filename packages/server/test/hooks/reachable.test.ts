import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { networkProblem, reachableAddresses } from '../../src/hooks/reachable.js';

const refused = [
  // This machine.
  '0.0.0.0',
  '0.1.2.3',
  '127.0.0.1',
  '127.255.255.254',
  '::',
  '::1',
  // Its networks.
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '100.64.0.1',
  '100.127.255.255',
  '169.254.0.1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  '2606:4700::1%eth0',
  // What clouds serve to their machines.
  '169.254.169.254',
  '168.63.129.16',
  '192.0.0.192',
  '100.100.100.200',
  'fd00:ec2::254',
  // IPv4 within IPv6.
  '::ffff:127.0.0.1',
  '::ffff:7f00:1',
  '::ffff:8.8.8.8',
  '::127.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b::a00:1',
  '64:ff9b:1::1',
  '2002:7f00:1::',
  '2002:a00:1::1',
  '2001:0:7f00:1::',
  // Neither one machine nor the internet.
  '224.0.0.1',
  '239.255.255.250',
  '240.0.0.1',
  '255.255.255.255',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.9',
  '192.88.99.1',
  '2001:db8::1',
  '3fff::1',
  'ff02::1',
  '100::1',
  '4000::1',
  // No addresses.
  '',
  'localhost',
  '127.1',
  '1.2.3.4.5',
  '::ffff:1.2.3.4.5',
];
const open = [
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.1',
  '100.128.0.1',
  '223.255.255.254',
  '2606:4700::1111',
  '2a00::1',
];

describe('the addresses that webhooks may reach', () => {
  const mayReach = reachableAddresses([], () => ['9.9.9.9', '2620:fe::fe']);

  for (const address of refused) test(`not ${address}`, () => assert.equal(mayReach(address), false));
  for (const address of open) test(address, () => assert.equal(mayReach(address), true));

  test('not the public addresses of this machine', () => {
    assert.deepEqual(['9.9.9.9', '2620:fe::fe', '9.9.9.8'].map(mayReach), [false, false, true]);
  });

  test('the addresses that this machine really has are refused', async () => {
    const { networkInterfaces } = await import('node:os');
    const own = Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
    assert.ok(own.length > 0);
    for (const address of own) assert.equal(reachableAddresses([])(address), false, address);
  });

  test('networks that the operator opens, and no others', () => {
    const opened = reachableAddresses(['10.1.0.0/16', 'fd00::/8'], () => ['10.1.0.7']);
    const expected = {
      '10.1.0.7': true,
      '10.1.255.1': true,
      'fd00::1': true,
      '10.2.0.1': false,
      '127.0.0.1': false,
    };
    for (const [address, is] of Object.entries(expected)) assert.equal(opened(address), is, address);
  });

  test('what is no network is refused', () => {
    for (const network of ['10.0.0.0/8', '::1/128', '0.0.0.0/0'])
      assert.equal(networkProblem(network), undefined);
    for (const network of [
      '10.0.0.0',
      '10.0.0.0/33',
      'fd00::/129',
      'localhost/8',
      '10.0.0.0/8/8',
      '10.0.0.0/',
      '/8',
      '10.0.0.0/-1',
    ])
      assert.notEqual(networkProblem(network), undefined, network);
  });
});
