// The page in English. The type Texts makes every other language complete: one that lacks a text
// does not compile.
export type Texts = typeof EN;

export interface Message {
  readonly title: string;
  readonly text: string;
  /** What the payer can do. */
  readonly next: string;
}

export const EN = {
  language: 'en' as 'en' | 'th' | 'vi',
  languageNav: 'Language',
  offline: 'You are offline. The page goes on as soon as you are connected again.',
  securedBy: 'Secured by',
  online: 'You are connected again.',

  progress: {
    label: 'Steps',
    done: 'done',
    scan: 'Scan',
    review: 'Check',
    result: 'Result',
  },
  opening: {
    title: 'Opening your payment',
    slow: 'This takes longer than usual. The connection may be slow.',
  },
  unreachable: {
    title: 'No connection to the payment service',
    text: 'We keep trying; you can also try now.',
    retry: 'Try now',
  },

  youPay: 'You pay',
  minutesLeft: (minutes: number) =>
    minutes === 1 ? 'Less than a minute left' : `${minutes} minutes left`,
  cancel: 'Cancel and go back to the app',

  scan: {
    title: 'Scan the QR code',
    country: {
      th_qrpay: 'Use a Thai payment code: this payment goes to Thailand.',
      vn_qrpay: 'Use a Vietnamese payment code: this payment goes to Vietnam.',
    },
    cameraWhy: 'Your browser will ask to use the camera. Pictures stay on this device.',
    cameraStart: 'Scan with the camera',
    cameraStarting: 'Starting the camera …',
    cameraOn: 'The camera is on. Hold it over the code.',
    cameraStop: 'Close the camera',
    light: 'Light',
    cameraDenied:
      'The camera is not allowed. Allow it for this page in your browser’s settings, or use a photo of the code.',
    cameraMissing: 'No camera was found. Use a photo of the code, or paste its text.',
    cameraBusy:
      'The camera could not be started; another app may be using it. Close that app, or use a photo.',
    scannerMissing:
      'The scanner could not be loaded. Check your connection and try again, or paste the text of the code.',
    photo: 'Choose a photo of the code',
    drop: 'Drop a picture of the code here',
    dropHow: 'or paste it, or click to choose a file',
    photoTooLarge: 'This file is larger than 30 MB. Choose a smaller picture.',
    photoReading: 'Reading the photo …',
    photoWithoutCode:
      'No QR code was found in this photo. Choose one that shows the whole code, sharp and straight.',
    photoUnreadable: 'This file cannot be read as a photo. Choose another one.',
    paste: 'Paste the text of the code',
    pasteLabel: 'Text of the QR code',
    pasteCheck: 'Use this text',
    pasteEmpty: 'Paste the text of the code first.',
    rejected: {
      not_a_payment_code:
        'This is not a payment code. Look for the QR code that the shop shows for payments.',
      too_long: 'This code is too long for a payment code. Ask for another one.',
      malformed: 'This payment code is damaged or not correctly made. Ask for another one.',
      crc_wrong:
        'The code was misread. Hold still and scan it again; if it stays like this, ask for another one.',
      duplicate_id: 'This payment code is not correctly made. Ask for another one.',
      unsupported_scheme:
        'This code belongs to a payment scheme that we cannot pay to. Ask for the national payment QR code.',
      contradictory: 'This payment code contradicts itself. Ask for another one.',
      payee_unclear: 'This code does not say clearly whom to pay. Ask for another one.',
      amount_invalid: 'The amount in this code is not valid. Ask for another one.',
      fee_asked:
        'This code asks for a tip or a fee, which we cannot pay. Ask for a code without one.',
    },
    wrongCorridor: 'This code is of another country.',
  },

  review: {
    title: 'Check the payment',
    payTo: 'Pay to',
    nameless: 'The code names no merchant',
    nameNote: 'As written in the code. Compare it with the shop.',
    payeeLabel: 'Account',
    payees: {
      mobile: 'Mobile number',
      national_id: 'National or tax ID',
      ewallet: 'E-wallet',
      bank_account: 'Bank account',
      biller: 'Biller',
      card: 'Bank card',
    },
    endingIn: (payee: string, end: string) => `${payee} ending in ${end}`,
    withReference: (payee: string, reference: string) => `${payee}, reference ${reference}`,
    codeAmount: 'Amount in the code',
    codeAmountNote: 'Converted by the payment provider. You pay the amount in USD.',
    codeAmountMissing: 'None in the code',
    confirm: (amount: string) => `Pay ${amount}`,
    again: 'Scan another code',
  },

  working: {
    title: 'Processing your payment',
    steps: ['Sent', 'Confirmed', 'Paid to the merchant'],
    current: 'under way',
    sent: 'Sending your confirmation …',
    unanswered:
      'There is no answer yet, so we do not know whether your confirmation has arrived. We keep asking. It cannot be paid twice.',
    unansweredOffline:
      'You are offline, so we do not know whether your confirmation has arrived. We ask as soon as you are connected. It cannot be paid twice.',
    confirmed:
      'Confirmed. Waiting for the payout. The payment goes on even if you leave this page.',
    confirmedUnreachable:
      'Confirmed. The connection is lost, but the payment goes on without it. We keep asking.',
    slow: 'This takes longer than usual.',
    leave: 'Go back to the app now',
  },

  result: {
    captured: {
      title: 'Paid',
      text: 'The merchant has been paid.',
      next: 'You are done. If you have a question, give this reference.',
    },
    failed: {
      title: 'Not paid',
      text: 'The payment could not be made. The merchant has received nothing.',
      next: 'Pay again from your app, or pay another way.',
    },
    cancelled: {
      title: 'Cancelled',
      text: 'The payment was cancelled. The merchant has received nothing.',
      next: 'To pay, start again in your app.',
    },
    expired: {
      title: 'Time is over',
      text: 'The payment was not confirmed in time. The merchant has received nothing.',
      next: 'To pay, start again in your app.',
    },
    refunded: {
      title: 'Refunded',
      text: 'The payment was made and has been refunded.',
      next: 'Your app shows the refund. If you have a question, give this reference.',
    },
    pending: {
      title: 'Still being paid',
      text: 'The payment is confirmed and not finished yet.',
      next: 'Do not pay again. Your app will show the result.',
    },
    unknown: {
      title: 'We do not know yet',
      text: 'We could not find out whether your confirmation has arrived.',
      next: 'Check your app before you pay again.',
    },
    otherCode: {
      title: 'Another code came first',
      text: 'This payment was already sent with another code and goes on with that one. This code was not used.',
      next: 'Do not pay again. Your app will show the result.',
    },
    closed: {
      title: 'This payment is closed',
      text: 'It can no longer be confirmed: it was cancelled, its time is over, or it is done. What you just confirmed had no effect.',
      next: 'Your app shows which it is. Look there before you pay again.',
    },
    limited: {
      title: 'Not possible today',
      text: 'The limit for payments of this kind is reached for today, so this one was not confirmed.',
      next: 'Go back to your app to pay another way.',
    },
    paused: {
      title: 'Payments are paused',
      text: 'Payments of this kind cannot be confirmed at the moment. This one was not confirmed.',
      next: 'Open the payment from your app again later, or pay another way.',
    },
  },
  notCharged: 'You were not charged.',
  whatNext: 'What to do next',
  time: 'Status at',
  reference: 'Reference',
  session: {
    invalid: {
      title: 'This link does not work',
      text: 'It belongs to no payment that can be confirmed here.',
      next: 'Open the payment from your app again.',
    },
    expired: {
      title: 'This link has expired',
      text: 'Links to a payment are valid for a few minutes.',
      next: 'Open the payment from your app again. The app shows whether anything was paid.',
    },
    usedPending: {
      title: 'Already confirmed',
      text: 'This payment is confirmed and being paid.',
      next: 'There is nothing more to do here. Do not pay again.',
    },
    usedSettled: 'This payment was confirmed before.',
  },
  left: {
    title: 'Not confirmed',
    text: 'You have left this payment without confirming it.',
    next: 'Go on with the payment, or go back to your app.',
    resume: 'Go on with the payment',
  },
  back: 'Back to the app',
  backBySelf: 'You can close this page and go back to your app.',
  backSoon: 'Taking you back to the app …',
};
