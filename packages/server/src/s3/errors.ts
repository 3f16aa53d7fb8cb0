import { RequestError } from '../request-error.js';

/** The errors that S3 clients are told, with their status and the text for people, as AWS's reference has them. */
export const s3Errors = {
  AccessDenied: [403, 'Access Denied'],
  AuthorizationHeaderMalformed: [400, 'The authorization header is malformed'],
  AuthorizationQueryParametersError: [400, 'The parameters of the presigned URL are malformed'],
  BadDigest: [400, 'The digest that you specified did not match what we received'],
  BucketNotEmpty: [409, 'The bucket you tried to delete is not empty'],
  ConditionalRequestConflict: [409, 'A conflicting operation happened during this one: try again'],
  EntityTooLarge: [400, 'Your proposed upload exceeds the maximum allowed size'],
  EntityTooSmall: [400, 'Your proposed upload is smaller than the minimum allowed size'],
  IncompleteBody: [400, 'The body has not as many bytes as the request said'],
  InternalError: [500, 'We encountered an internal error, please try again'],
  InvalidAccessKeyId: [403, 'The access key id that you provided does not exist in our records'],
  InvalidArgument: [400, 'Invalid Argument'],
  InvalidBucketName: [400, 'The specified bucket is not valid'],
  InvalidDigest: [400, 'The Content-MD5 or checksum that you specified is not valid'],
  InvalidLocationConstraint: [400, 'The specified location constraint is not valid'],
  InvalidPart: [400, 'One or more of the specified parts could not be found or had another entity tag'],
  InvalidPartOrder: [400, 'The list of parts was not in ascending order'],
  InvalidPolicyDocument: [400, 'The content of the form does not meet the conditions of the policy document'],
  InvalidRange: [416, 'The requested range is not satisfiable'],
  InvalidRequest: [400, 'Invalid Request'],
  InvalidURI: [400, "Couldn't parse the specified URI."],
  KeyTooLongError: [400, 'Your key is too long'],
  MalformedPOSTRequest: [400, 'The body of your POST request is not well-formed multipart/form-data'],
  MalformedTrailerError: [400, 'The request contained trailing data that was not well-formed'],
  MalformedXML: [400, 'The XML you provided was not well-formed or did not validate against our schema'],
  MaxMessageLengthExceeded: [400, 'Your request was too big'],
  MaxPostPreDataLengthExceededError: [
    400,
    'The fields of your POST request before its file are too large: at most 20 KiB',
  ],
  MetadataTooLarge: [400, 'Your metadata headers exceed the maximum allowed metadata size'],
  MethodNotAllowed: [405, 'The specified method is not allowed against this resource'],
  MissingContentLength: [411, 'You must provide the Content-Length HTTP header'],
  NoSuchBucket: [404, 'The specified bucket does not exist'],
  NoSuchBucketPolicy: [404, 'The bucket policy does not exist'],
  NoSuchCORSConfiguration: [404, 'The CORS configuration does not exist'],
  NoSuchKey: [404, 'The specified key does not exist'],
  NoSuchLifecycleConfiguration: [404, 'The lifecycle configuration does not exist'],
  NoSuchObjectLockConfiguration: [404, 'The object does not have an object lock configuration'],
  NoSuchPublicAccessBlockConfiguration: [404, 'The public access block configuration was not found'],
  NoSuchTagSet: [404, 'The TagSet does not exist'],
  NoSuchUpload: [404, 'The specified multipart upload does not exist'],
  NoSuchVersion: [404, 'The specified version does not exist'],
  NoSuchWebsiteConfiguration: [404, 'The specified bucket does not have a website configuration'],
  NotImplemented: [501, 'A header or operation that you provided is not implemented'],
  ObjectLockConfigurationNotFoundError: [404, 'Object Lock configuration does not exist for this bucket'],
  OwnershipControlsNotFoundError: [404, 'The bucket ownership controls were not found'],
  PreconditionFailed: [412, 'At least one of the preconditions that you specified did not hold'],
  // AWS has no such error; this is that of Ceph. Clients do not repeat what is answered with 403.
  QuotaExceeded: [403, 'The quota of the project does not allow this'],
  ReplicationConfigurationNotFoundError: [404, 'The replication configuration was not found'],
  RequestTimeTooSkewed: [403, "The difference between the request time and the server's time is too large"],
  ServerSideEncryptionConfigurationNotFoundError: [
    404,
    'The server side encryption configuration was not found',
  ],
  ServiceUnavailable: [503, 'Storage is unavailable, try again later'],
  SignatureDoesNotMatch: [
    403,
    'The request signature we calculated does not match the signature you provided. Check your key and signing method',
  ],
  SlowDown: [503, 'Please reduce your request rate'],
  XAmzContentSHA256Mismatch: [400, "The provided 'x-amz-content-sha256' does not match what was computed"],
} as const satisfies Readonly<Record<string, readonly [status: number, message: string]>>;

export type S3Code = keyof typeof s3Errors;

/** More members of the error's XML. */
export type ErrorDetails = Readonly<Record<string, string>>;

/** What is wrong with a request, as S3 says it. */
export class S3Error extends RequestError {
  readonly s3Status: number;

  constructor(
    readonly code: S3Code,
    message: string = s3Errors[code][1],
    readonly details: ErrorDetails = {},
  ) {
    super([{ code: 'invalid_request', message }]);
    this.s3Status = s3Errors[code][0];
  }
}
