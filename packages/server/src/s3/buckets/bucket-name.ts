const rule = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const address = /^\d+\.\d+\.\d+\.\d+$/;
const reservedBegins = ['xn--', 'sthree-', 'amzn-s3-demo-'];
const reservedEnds = ['-s3alias', '--ol-s3', '.mrap', '--x-s3', '--table-s3'];

/** What is wrong with the name of a new bucket, by AWS's rules for general purpose buckets; undefined if it is good. */
export function bucketNameProblem(name: string): string | undefined {
  if (!rule.test(name)) return 'A bucket has 3 to 63 lower-case letters, digits, dots and hyphens';
  if (/\.\.|\.-|-\./.test(name)) return 'A bucket has no two dots in a row, and no hyphen next to a dot';
  if (address.test(name)) return 'A bucket is not named like an IP address';
  const isReserved =
    reservedBegins.some((begin) => name.startsWith(begin)) || reservedEnds.some((end) => name.endsWith(end));
  return isReserved ? 'The beginning or the end of the name is reserved' : undefined;
}
