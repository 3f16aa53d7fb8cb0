import { Option } from 'commander';

/** An option that can be given several times: its value is the list of its values. */
export function repeated(flag: string, help: string): Option {
  return new Option(flag, help).argParser((value: string, before: string[] | undefined) => [
    ...(before ?? []),
    value,
  ]);
}
