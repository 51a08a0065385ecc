// The gRPC codes with which Temporal answers.
import { isGrpcServiceError } from '@temporalio/client';

/** The numbers of gRPC codes: their enumeration is in a package that we do not depend on. */
const GRPC_CODES = {
  INVALID_ARGUMENT: 3,
  NOT_FOUND: 5,
  ALREADY_EXISTS: 6,
  PERMISSION_DENIED: 7,
  RESOURCE_EXHAUSTED: 8,
  FAILED_PRECONDITION: 9,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  UNAVAILABLE: 14,
} as const;

/** Whether Temporal answered with one of these codes. */
export function hasGrpcCode(
  error: unknown,
  ...names: readonly (keyof typeof GRPC_CODES)[]
): boolean {
  if (!isGrpcServiceError(error)) return false;
  const code: number = error.code;
  return names.some((name) => GRPC_CODES[name] === code);
}
