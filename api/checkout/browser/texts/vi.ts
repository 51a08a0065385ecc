// The page in Vietnamese.
import type { Texts } from './en';

export const VI: Texts = {
  language: 'vi',
  languageNav: 'Ngôn ngữ',
  offline: 'Bạn đang ngoại tuyến. Trang sẽ tiếp tục ngay khi có kết nối trở lại.',
  securedBy: 'Được bảo mật bởi',
  online: 'Đã kết nối trở lại.',

  progress: {
    label: 'Các bước',
    done: 'xong',
    scan: 'Quét',
    review: 'Kiểm tra',
    result: 'Kết quả',
  },
  opening: {
    title: 'Đang mở khoản thanh toán',
    slow: 'Việc này lâu hơn bình thường. Kết nối có thể đang chậm.',
  },
  unreachable: {
    title: 'Không kết nối được với dịch vụ thanh toán',
    text: 'Chúng tôi vẫn đang thử lại; bạn cũng có thể thử ngay.',
    retry: 'Thử ngay',
  },

  youPay: 'Bạn trả',
  minutesLeft: (minutes) => (minutes === 1 ? 'Còn chưa đầy một phút' : `Còn ${minutes} phút`),
  cancel: 'Hủy và quay lại ứng dụng',

  scan: {
    title: 'Quét mã QR',
    country: {
      th_qrpay: 'Hãy dùng mã thanh toán của Thái Lan: khoản này được trả đến Thái Lan.',
      vn_qrpay: 'Hãy dùng mã thanh toán của Việt Nam: khoản này được trả đến Việt Nam.',
    },
    cameraWhy: 'Trình duyệt sẽ xin phép dùng máy ảnh. Hình ảnh chỉ ở trên thiết bị này.',
    cameraStart: 'Quét bằng máy ảnh',
    cameraStarting: 'Đang mở máy ảnh …',
    cameraOn: 'Máy ảnh đang bật. Hãy hướng vào mã.',
    cameraStop: 'Tắt máy ảnh',
    light: 'Đèn',
    cameraDenied:
      'Máy ảnh không được phép dùng. Hãy cho phép trong cài đặt trình duyệt, hoặc dùng ảnh chụp của mã.',
    cameraMissing: 'Không tìm thấy máy ảnh. Hãy dùng ảnh chụp của mã, hoặc dán nội dung mã.',
    cameraBusy:
      'Không mở được máy ảnh; có thể ứng dụng khác đang dùng. Hãy đóng ứng dụng đó, hoặc dùng ảnh chụp.',
    scannerMissing:
      'Không tải được bộ quét. Hãy kiểm tra kết nối rồi thử lại, hoặc dán nội dung mã.',
    photo: 'Chọn ảnh chụp của mã',
    drop: 'Kéo ảnh của mã vào đây',
    dropHow: 'hoặc dán ảnh, hoặc bấm để chọn tệp',
    photoTooLarge: 'Tệp này lớn hơn 30 MB. Hãy chọn ảnh nhỏ hơn.',
    photoReading: 'Đang đọc ảnh …',
    photoWithoutCode:
      'Không tìm thấy mã QR trong ảnh này. Hãy chọn ảnh thấy trọn mã, rõ nét và thẳng.',
    photoUnreadable: 'Không đọc được tệp này như một bức ảnh. Hãy chọn tệp khác.',
    paste: 'Dán nội dung mã',
    pasteLabel: 'Nội dung mã QR',
    pasteCheck: 'Dùng nội dung này',
    pasteEmpty: 'Hãy dán nội dung mã trước.',
    rejected: {
      not_a_payment_code:
        'Đây không phải mã thanh toán. Hãy tìm mã QR mà cửa hàng dùng để nhận tiền.',
      too_long: 'Mã này quá dài so với một mã thanh toán. Hãy xin mã khác.',
      malformed: 'Mã thanh toán này bị hỏng hoặc được tạo sai. Hãy xin mã khác.',
      crc_wrong: 'Mã bị đọc sai. Hãy giữ yên và quét lại; nếu vẫn vậy, hãy xin mã khác.',
      duplicate_id: 'Mã thanh toán này được tạo sai. Hãy xin mã khác.',
      unsupported_scheme:
        'Mã này thuộc hệ thống mà chúng tôi không trả đến được. Hãy xin mã QR thanh toán quốc gia.',
      contradictory: 'Thông tin trong mã này mâu thuẫn với nhau. Hãy xin mã khác.',
      payee_unclear: 'Mã này không nêu rõ người nhận tiền. Hãy xin mã khác.',
      amount_invalid: 'Số tiền trong mã này không hợp lệ. Hãy xin mã khác.',
      fee_asked:
        'Mã này yêu cầu tiền tip hoặc phí mà chúng tôi không trả được. Hãy xin mã không kèm phí.',
    },
    wrongCorridor: 'Mã này là của nước khác.',
  },

  review: {
    title: 'Kiểm tra thanh toán',
    payTo: 'Trả cho',
    nameless: 'Mã không ghi tên cửa hàng',
    nameNote: 'Theo nội dung ghi trong mã. Hãy đối chiếu với cửa hàng.',
    payeeLabel: 'Tài khoản',
    payees: {
      mobile: 'Số điện thoại',
      national_id: 'Số định danh hoặc mã số thuế',
      ewallet: 'Ví điện tử',
      bank_account: 'Tài khoản ngân hàng',
      biller: 'Đơn vị thu',
      card: 'Thẻ ngân hàng',
    },
    endingIn: (payee, end) => `${payee} có đuôi ${end}`,
    withReference: (payee, reference) => `${payee}, mã tham chiếu ${reference}`,
    codeAmount: 'Số tiền trong mã',
    codeAmountNote: 'Nhà cung cấp thanh toán quy đổi. Bạn trả số tiền bằng USD.',
    codeAmountMissing: 'Không có trong mã',
    confirm: (amount) => `Trả ${amount}`,
    again: 'Quét mã khác',
  },

  working: {
    title: 'Khoản thanh toán đang được thực hiện',
    steps: ['Đã gửi', 'Đã xác nhận', 'Đã trả cho cửa hàng'],
    current: 'đang thực hiện',
    sent: 'Đang gửi xác nhận của bạn …',
    unanswered:
      'Chưa có trả lời, nên chưa biết xác nhận của bạn đã đến hay chưa. Chúng tôi vẫn đang hỏi. Khoản này không thể bị trả hai lần.',
    unansweredOffline:
      'Bạn đang ngoại tuyến, nên chưa biết xác nhận của bạn đã đến hay chưa. Chúng tôi sẽ hỏi ngay khi có kết nối. Khoản này không thể bị trả hai lần.',
    confirmed: 'Đã xác nhận. Đang chờ chi trả. Khoản thanh toán vẫn tiếp tục dù bạn rời trang này.',
    confirmedUnreachable:
      'Đã xác nhận. Mất kết nối, nhưng khoản thanh toán vẫn tiếp tục. Chúng tôi vẫn đang hỏi.',
    slow: 'Việc này lâu hơn bình thường.',
    leave: 'Quay lại ứng dụng ngay',
  },

  result: {
    captured: {
      title: 'Đã trả',
      text: 'Cửa hàng đã nhận được tiền.',
      next: 'Bạn đã xong. Nếu có thắc mắc, hãy cung cấp mã tham chiếu này.',
    },
    failed: {
      title: 'Không trả được',
      text: 'Không thực hiện được khoản thanh toán. Cửa hàng không nhận được tiền.',
      next: 'Hãy trả lại từ ứng dụng của bạn, hoặc trả bằng cách khác.',
    },
    cancelled: {
      title: 'Đã hủy',
      text: 'Khoản thanh toán đã bị hủy. Cửa hàng không nhận được tiền.',
      next: 'Nếu muốn trả, hãy bắt đầu lại trong ứng dụng của bạn.',
    },
    expired: {
      title: 'Hết thời gian',
      text: 'Không được xác nhận kịp thời. Cửa hàng không nhận được tiền.',
      next: 'Nếu muốn trả, hãy bắt đầu lại trong ứng dụng của bạn.',
    },
    refunded: {
      title: 'Đã hoàn tiền',
      text: 'Khoản thanh toán đã được thực hiện và đã được hoàn tiền.',
      next: 'Ứng dụng của bạn hiển thị khoản hoàn. Nếu có thắc mắc, hãy cung cấp mã tham chiếu này.',
    },
    pending: {
      title: 'Đang được chi trả',
      text: 'Khoản này đã được xác nhận nhưng chưa xong.',
      next: 'Đừng trả lại lần nữa. Ứng dụng của bạn sẽ hiển thị kết quả.',
    },
    unknown: {
      title: 'Chưa biết kết quả',
      text: 'Không thể biết xác nhận của bạn đã đến hay chưa.',
      next: 'Hãy xem trong ứng dụng trước khi trả lại lần nữa.',
    },
    otherCode: {
      title: 'Một mã khác đã đến trước',
      text: 'Khoản này đã được gửi với một mã khác và tiếp tục với mã đó. Mã này không được dùng.',
      next: 'Đừng trả lại lần nữa. Ứng dụng của bạn sẽ hiển thị kết quả.',
    },
    closed: {
      title: 'Khoản thanh toán này đã đóng',
      text: 'Không thể xác nhận nữa: đã bị hủy, đã hết thời gian, hoặc đã xong. Xác nhận vừa rồi không có hiệu lực.',
      next: 'Ứng dụng của bạn cho biết trường hợp nào. Hãy xem ở đó trước khi trả lại.',
    },
    limited: {
      title: 'Hôm nay không thể thanh toán',
      text: 'Hạn mức cho loại thanh toán này hôm nay đã hết nên khoản này chưa được xác nhận.',
      next: 'Hãy quay lại ứng dụng để thanh toán bằng cách khác.',
    },
    paused: {
      title: 'Tạm ngừng thanh toán',
      text: 'Hiện không thể xác nhận loại thanh toán này nên khoản này chưa được xác nhận.',
      next: 'Hãy mở lại khoản thanh toán từ ứng dụng sau, hoặc thanh toán bằng cách khác.',
    },
  },
  notCharged: 'Bạn không bị trừ tiền.',
  whatNext: 'Việc cần làm tiếp theo',
  time: 'Trạng thái lúc',
  reference: 'Mã tham chiếu',
  session: {
    invalid: {
      title: 'Liên kết này không dùng được',
      text: 'Liên kết không thuộc khoản thanh toán nào có thể xác nhận ở đây.',
      next: 'Hãy mở lại từ ứng dụng của bạn.',
    },
    expired: {
      title: 'Liên kết này đã hết hạn',
      text: 'Liên kết thanh toán chỉ có hiệu lực vài phút.',
      next: 'Hãy mở lại từ ứng dụng của bạn. Ứng dụng cho biết đã trả hay chưa.',
    },
    usedPending: {
      title: 'Đã được xác nhận',
      text: 'Khoản này đã được xác nhận và đang được chi trả.',
      next: 'Bạn không cần làm gì thêm ở đây. Đừng trả lại lần nữa.',
    },
    usedSettled: 'Khoản này đã được xác nhận trước đó.',
  },
  left: {
    title: 'Chưa xác nhận',
    text: 'Bạn đã rời khoản thanh toán này mà chưa xác nhận.',
    next: 'Hãy tiếp tục thanh toán, hoặc quay lại ứng dụng.',
    resume: 'Tiếp tục thanh toán',
  },
  back: 'Quay lại ứng dụng',
  backBySelf: 'Bạn có thể đóng trang này và quay lại ứng dụng.',
  backSoon: 'Đang đưa bạn trở lại ứng dụng …',
};
