// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {Swapper} from "./Swapper.sol";

/// @notice A token with open minting.
interface IMintable {
    function mint(address to, uint256 amount) external;
}

/// @notice Stand-in for Circle's CCTP V2, messenger and transmitter in one: burns on one chain and mints on the other
/// when its relayer delivers the message. Messages have the real layout.
contract CircleTransmitter is Swapper {
    address private constant GRAVE = 0x000000000000000000000000000000000000dEaD;
    uint32 private constant VERSION = 1;
    uint256 private constant NONCE_AT = 12;
    uint256 private constant BODY_AT = 148;

    IMintable public immutable usdc;
    /// @notice CCTP's domain of the chain; on the local chains their chain id.
    uint32 public immutable domain = uint32(block.chainid);
    address public immutable relayer = msg.sender;
    mapping(bytes32 nonce => bool) public usedNonces;

    event MessageSent(bytes message);
    event MessageReceived(
        address indexed caller,
        uint32 sourceDomain,
        bytes32 indexed nonce,
        bytes32 sender,
        uint32 indexed finalityThresholdExecuted,
        bytes messageBody
    );

    error NonceUsed();

    constructor(IMintable usdc_) {
        usdc = usdc_;
    }

    function depositForBurn(uint256 amount, uint32 to, bytes32 recipient, uint256 maxFee, uint32 threshold) external {
        _pull(address(usdc), msg.sender, amount);
        _send(address(usdc), GRAVE, amount);
        bytes32 self = _word(address(this));
        bytes memory header =
            abi.encodePacked(VERSION, domain, to, bytes32(0), self, self, bytes32(0), threshold, uint32(0));
        bytes memory burned = abi.encodePacked(VERSION, _word(address(usdc)), recipient, amount);
        bytes memory fees = abi.encodePacked(_word(msg.sender), maxFee, uint256(0), uint256(0));
        emit MessageSent(abi.encodePacked(header, burned, fees));
    }

    /// @notice `message` as sent, with nonce, fee and expiration block filled in.
    function receiveMessage(bytes calldata message) external {
        if (msg.sender != relayer) revert UnAuthorized();
        bytes32 nonce = bytes32(message[NONCE_AT:NONCE_AT + 32]);
        if (usedNonces[nonce]) revert NonceUsed();
        usedNonces[nonce] = true;
        bytes calldata body = message[BODY_AT:];
        uint256 amount = uint256(bytes32(body[68:100])) - uint256(bytes32(body[164:196]));
        usdc.mint(address(uint160(uint256(bytes32(body[36:68])))), amount);
        uint32 threshold = uint32(bytes4(message[140:144]));
        emit MessageReceived(
            msg.sender, uint32(bytes4(message[4:8])), nonce, bytes32(message[44:76]), threshold, body
        );
    }

    function _word(address account) private pure returns (bytes32) {
        return bytes32(uint256(uint160(account)));
    }
}

/// @notice Stand-in for Celer's proxy of CCTP, which takes a fee.
contract CircleBridgeProxy is Swapper {
    CircleTransmitter public immutable transmitter;
    uint256 private constant FEE_PPM = 500;
    uint256 private constant PPM = 1_000_000;

    constructor(CircleTransmitter transmitter_) {
        transmitter = transmitter_;
    }

    function depositForBurn(
        uint256 amount,
        uint64 chainId,
        bytes32 recipient,
        address burnToken,
        uint256 maxFee,
        uint32 threshold
    ) external {
        if (burnToken != address(transmitter.usdc())) revert InvalidAmount();
        uint256 fee = amount * FEE_PPM / PPM;
        _pull(burnToken, msg.sender, amount);
        _approveMax(burnToken, address(transmitter), amount);
        transmitter.depositForBurn(amount - fee, uint32(chainId), recipient, maxFee, threshold);
    }
}
