import { BlockList, isIP } from 'node:net';
import { networkInterfaces } from 'node:os';

/** Whether webhooks may connect to this address. */
export type MayReach = (address: string) => boolean;

/** IPv4 that is not for everybody (IANA's registry of special addresses), and what clouds serve to their machines. */
const closedIpv4 = blockList([
  '0.0.0.0/8',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '168.63.129.16/32',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.2.0/24',
  '192.88.99.0/24',
  '192.168.0.0/16',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '224.0.0.0/3',
]);

/**
 * IPv6 is closed but for what is given out to everybody. So are the forms that carry an IPv4 address in them: mapped
 * (`::ffff:0:0/96`), translated (`64:ff9b::/96`), 6to4, Teredo.
 */
const openIpv6 = blockList(['2000::/3']);
const closedIpv6 = blockList(['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']);

/**
 * Makes the rule of the addresses that webhooks may reach (docs/http.md#what-a-webhook-may-reach): everything in the
 * public internet except the addresses of this machine, and the networks that the operator has opened, in CIDR notation.
 */
export function reachableAddresses(opened: readonly string[], ownAddresses = addressesOfMachine): MayReach {
  const openedNetworks = blockList(opened);
  return (address) => {
    const [plain = ''] = address.split('%');
    const family = isIP(plain);
    if (family === 0) return false;
    if (openedNetworks.check(plain, family === 4 ? 'ipv4' : 'ipv6')) return true;
    // A zone makes sense only in the networks of this machine.
    if (plain !== address || ownAddresses().includes(plain)) return false;
    return family === 4
      ? !closedIpv4.check(plain, 'ipv4')
      : openIpv6.check(plain, 'ipv6') && !closedIpv6.check(plain, 'ipv6');
  };
}

/** What is wrong with a network in CIDR notation; undefined if nothing is. */
export function networkProblem(network: string): string | undefined {
  const [address = '', bits = '', ...more] = network.split('/');
  const most = { 4: 32, 6: 128 }[isIP(address)];
  const isValid = most !== undefined && more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= most;
  return isValid ? undefined : 'must be a network such as 10.0.0.0/8 or fd00::/8';
}

function blockList(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', bits] = network.split('/');
    list.addSubnet(address, Number(bits), isIP(address) === 4 ? 'ipv4' : 'ipv6');
  }
  return list;
}

function addressesOfMachine(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all = []) => all.map(({ address }) => address));
}
