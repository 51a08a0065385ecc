// The scheme of each corridor: a folder each. Everything else maps over them.
import type { Corridor } from './names';
import type { CorridorScheme } from './scheme';
import { TH_QRPAY } from './th_qrpay/scheme';
import { VN_QRPAY } from './vn_qrpay/scheme';

export const SCHEMES: Readonly<Record<Corridor, CorridorScheme>> = {
  th_qrpay: TH_QRPAY,
  vn_qrpay: VN_QRPAY,
};
