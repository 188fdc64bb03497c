// SPDX-License-Identifier: MIT
pragma solidity =0.8.30;

import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {Executor} from "./Executor.sol";
import {Swapper} from "./Swapper.sol";
import {MessagingFee, SendParam, SwapData} from "./Types.sol";

/// @notice Stand-in for LayerZero's endpoint, with the queue of compose messages only.
contract LayerZeroEndpoint {
    mapping(bytes32 key => bytes32 messageHash) private _queue;

    event ComposeSent(address from, address to, bytes32 guid, uint16 index, bytes message);
    event ComposeDelivered(address from, address to, bytes32 guid, uint16 index);

    error NotQueued();

    function sendCompose(address to, bytes32 guid, uint16 index, bytes calldata message) external {
        _queue[_key(msg.sender, to, guid, index)] = keccak256(message);
        emit ComposeSent(msg.sender, to, guid, index, message);
    }

    /// @notice Anyone may deliver a message; the event follows its execution.
    function lzCompose(address from, address to, bytes32 guid, uint16 index, bytes calldata message) external {
        bytes32 key = _key(from, to, guid, index);
        if (_queue[key] != keccak256(message)) revert NotQueued();
        delete _queue[key];
        ReceiverStargate(payable(to)).lzCompose(from, guid, message, msg.sender, "");
        emit ComposeDelivered(from, to, guid, index);
    }

    function _key(address from, address to, bytes32 guid, uint16 index) private pure returns (bytes32) {
        return keccak256(abi.encode(from, to, guid, index));
    }
}

/// @notice Stand-in for Stargate's registry of pools and its buses: each passenger has a ticket number, and the
/// relayer names the tickets of a departed bus.
contract TokenMessaging {
    address public immutable owner = msg.sender;
    mapping(uint16 assetId => address) public stargateImpls;
    mapping(address pool => uint16) public assetIds;
    mapping(uint32 dstEid => uint72) private _tickets;

    event BusRode(uint32 dstEid, uint72 ticketId, uint80 fare, bytes passenger);
    event BusDriven(uint32 dstEid, uint72 startTicketId, uint8 numPassengers, bytes32 guid);

    function rideBus(uint32 dstEid, bytes calldata passenger) external returns (uint72 ticketId) {
        require(assetIds[msg.sender] != 0);
        ticketId = _tickets[dstEid]++;
        emit BusRode(dstEid, ticketId, 0, passenger);
    }

    function driveBus(uint32 dstEid, uint72 startTicketId, uint8 numPassengers, bytes32 guid) external {
        require(msg.sender == owner);
        emit BusDriven(dstEid, startTicketId, numPassengers, guid);
    }

    function setAssetId(address pool, uint16 assetId) external {
        require(msg.sender == owner);
        stargateImpls[assetId] = pool;
        assetIds[pool] = assetId;
    }
}

/// @notice Stand-in for a Stargate V2 pool of a token or native money: takes a fee and LayerZero's message fee,
/// credits six decimals and at least the requested minimum, and pays out the relayer's deliveries from the other
/// chain.
contract StargatePool is Swapper {
    uint256 private constant FEE_PPM = 600;
    uint256 private constant PPM = 1_000_000;
    /// @dev Wei per message.
    uint256 private constant MESSAGE_FEE = 2e13;

    address public immutable token;
    LayerZeroEndpoint public immutable endpoint;
    TokenMessaging private immutable MESSAGING;
    /// @notice LayerZero's endpoint id of the chain; on the local chains their chain id.
    uint32 public immutable endpointId = uint32(block.chainid);
    address public immutable relayer = msg.sender;
    uint256 private immutable _step;
    uint64 private _nonce;

    event OFTSent(
        bytes32 indexed guid,
        uint32 dstEid,
        address indexed fromAddress,
        uint256 amountSentLD,
        uint256 amountReceivedLD
    );
    event OFTReceived(bytes32 indexed guid, uint32 srcEid, address indexed toAddress, uint256 amountReceivedLD);
    /// @notice The transfer that LayerZero or the bus would carry, for the relayer; only these stand-ins emit it.
    event Carried(
        bytes32 indexed id, uint32 dstEid, bytes32 to, uint256 amount, bytes composeMsg, bool bus, uint72 ticketId
    );

    error SlippageTooHigh();
    error InvalidFee();

    constructor(address token_, uint256 decimals, LayerZeroEndpoint endpoint_, TokenMessaging messaging) {
        token = token_;
        endpoint = endpoint_;
        MESSAGING = messaging;
        _step = 10 ** (decimals - 6);
    }

    function sendToken(SendParam calldata param, MessagingFee calldata fee, address refundAddress) external payable {
        bool native = token == address(0);
        uint256 amount = param.amountLD - param.amountLD % _step;
        if (fee.nativeFee < MESSAGE_FEE || msg.value < fee.nativeFee + (native ? amount : 0)) revert InvalidFee();
        if (!native) _pull(token, msg.sender, amount);
        uint256 received = amount - amount * FEE_PPM / PPM;
        received -= received % _step;
        if (received < param.minAmountLD) revert SlippageTooHigh();
        bytes32 id = keccak256(abi.encode(endpointId, address(this), ++_nonce));
        bool bus = param.oftCmd.length == 1;
        _carry(id, param, received);
        emit OFTSent(bus ? bytes32(0) : id, param.dstEid, msg.sender, amount, received);
        uint256 excess = msg.value - MESSAGE_FEE - (native ? amount : 0);
        if (excess > 0) _send(address(0), refundAddress, excess);
    }

    function _carry(bytes32 id, SendParam calldata param, uint256 received) private {
        bool bus = param.oftCmd.length == 1;
        uint72 ticketId = bus ? MESSAGING.rideBus(param.dstEid, abi.encodePacked(param.to, received)) : 0;
        emit Carried(id, param.dstEid, param.to, received, param.composeMsg, bus, ticketId);
    }

    function receiveToken(uint32 srcEid, bytes32 guid, address receiver, uint256 amount, bytes calldata composeMsg)
        external
    {
        if (msg.sender != relayer) revert UnAuthorized();
        _send(token, receiver, amount);
        if (composeMsg.length > 0) {
            bytes memory message = abi.encodePacked(uint64(0), srcEid, amount, bytes32(0), composeMsg);
            endpoint.sendCompose(receiver, guid, 0, message);
        }
        emit OFTReceived(guid, srcEid, receiver, amount);
    }
}

/// @notice Stand-in for LI.FI's ReceiverStargateV2: passes a pool's delivery to the Executor, or to the user when a
/// call fails.
contract ReceiverStargate is Swapper {
    /// @dev Nonce and source endpoint (8 and 4 bytes), amount (32), composer (32), message.
    uint256 private constant AMOUNT_AT = 12;
    uint256 private constant MESSAGE_AT = 76;

    Executor public immutable executor;
    TokenMessaging public immutable tokenMessaging;
    address public immutable endpointV2;

    constructor(Executor executor_, TokenMessaging tokenMessaging_, address endpoint) {
        executor = executor_;
        tokenMessaging = tokenMessaging_;
        endpointV2 = endpoint;
    }

    function lzCompose(address from, bytes32, bytes calldata message, address, bytes calldata) external payable {
        if (msg.sender != endpointV2 || tokenMessaging.assetIds(from) == 0) revert UnAuthorized();
        uint256 amount = uint256(bytes32(message[AMOUNT_AT:AMOUNT_AT + 32]));
        (bytes32 transactionId, SwapData[] memory swaps, address payable receiver) =
            abi.decode(message[MESSAGE_AT:], (bytes32, SwapData[], address));
        address token = StargatePool(payable(from)).token();
        bool native = token == address(0);
        if (!native) _approveExact(token, amount);
        try executor.swapAndCompleteBridgeTokens{value: native ? amount : 0}(transactionId, swaps, token, receiver) {}
        catch {
            _send(token, receiver, amount);
            emit LiFiTransferRecovered(transactionId, token, receiver, amount, block.timestamp);
        }
        if (!native) _approveExact(token, 0);
    }

    function _approveExact(address token, uint256 amount) private {
        (bool ok,) = token.call(abi.encodeCall(IERC20.approve, (address(executor), amount)));
        if (!ok) revert TransferFailed();
    }
}
