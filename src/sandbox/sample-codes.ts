// A sample payment code for each corridor (decision 20), for partners without a merchant: docs show
// these codes. They have no payee: the number, the bank and the account are fictitious.
import type { Corridor } from '../domain/corridor';

export const SAMPLE_CODES: Readonly<Record<Corridor, string>> = {
  th_qrpay:
    '00020101021129370016A0000006770101110113006680000000053037645802TH5915SANDBOX NOODLES6007BANGKOK63046C47',
  vn_qrpay:
    '00020101021138570010A00000072701270006999999011300000000000000208QRIBFTTA53037045802VN5914SANDBOX COFFEE6005HANOI6304DBBC',
};
