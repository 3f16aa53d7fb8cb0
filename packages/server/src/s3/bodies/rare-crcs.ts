// Loaded when the first client asks for one of them.
export { Crc32c, Crc64Nvme } from '@aws-sdk/checksums/crc';
